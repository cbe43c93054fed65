package fibermw

import (
	"github.com/gofiber/fiber/v2"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/keyfuncs"
)

// Limit returns a middleware that charges each request to the key that key
// yields, under policy p, and answers those itself for which there is no room.
// It panics, naming package, field and value, if anything it is given cannot be
// used, such as a nil Limiter or a policy that is not valid; it does not panic
// while serving. The middleware may be mounted many times, and is safe for
// concurrent use. Without Redis, requests follow p.OnOutage.
//
// With guard.CountOnly an error of the handler goes to the app's error handler
// at once and is not returned, since only that decides the status.
func Limit(rl *core.Limiter, p core.Policy, key keyfuncs.Func, opts ...guard.Option) fiber.Handler {
	return limit(rl, p, key, opts)
}

func limit(engine guard.Engine, p core.Policy, key keyfuncs.Func, opts []guard.Option) fiber.Handler {
	gate := guard.New(pkg, engine, p, key, opts...)
	denied, _ := gate.Extra().(fiber.Handler)
	return func(c *fiber.Ctx) error {
		v := gate.Judge(request{c})
		v.Apply(
			func(name string) string { return header(c, name) },
			func(name, value string) { c.Set(name, value) })
		switch {
		case v.Refused():
			return refuse(c, &v, denied)
		case v.Owes():
			v.Serve(func() int { return serve(c) })
			return nil
		}
		return c.Next()
	}
}

func refuse(c *fiber.Ctx, v *guard.Verdict, denied fiber.Handler) error {
	c.Status(v.Status)
	if v.Denied() && denied != nil {
		c.SetUserContext(v.Context(c.UserContext()))
		return denied(c)
	}
	c.Set(fiber.HeaderContentType, v.ContentType)
	return c.SendString(v.Body)
}

// serve runs a handler whose status counts, and returns that.
func serve(c *fiber.Ctx) int {
	if err := c.Next(); err != nil {
		if err := c.App().ErrorHandler(c, err); err != nil {
			_ = c.SendStatus(fiber.StatusInternalServerError)
		}
	}
	return c.Response().StatusCode()
}

// header returns a field of the response, its lines joined.
func header(c *fiber.Ctx, name string) string {
	lines := c.Response().Header.PeekAll(name)
	joined := ""
	for i, line := range lines {
		if i > 0 {
			joined += ", "
		}
		joined += string(line)
	}
	return joined
}
