package echomw

import (
	"github.com/labstack/echo/v4"

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
// With guard.CountOnly an error of the handler goes to Echo's error handler
// before it is returned, since only that decides the status. Like Echo's own,
// an error handler of yours has to leave responses alone that are committed.
func Limit(rl *core.Limiter, p core.Policy, key keyfuncs.Func, opts ...guard.Option) echo.MiddlewareFunc {
	return limit(rl, p, key, opts)
}

func limit(engine guard.Engine, p core.Policy, key keyfuncs.Func, opts []guard.Option) echo.MiddlewareFunc {
	gate := guard.New(pkg, engine, p, key, opts...)
	denied, _ := gate.Extra().(echo.HandlerFunc)
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			v := gate.Judge(request{c})
			v.ApplyTo(c.Response().Header())
			switch {
			case v.Refused():
				return refuse(c, &v, denied)
			case v.Owes():
				return serve(c, &v, next)
			}
			return next(c)
		}
	}
}

func refuse(c echo.Context, v *guard.Verdict, denied echo.HandlerFunc) error {
	if v.Denied() && denied != nil {
		c.SetRequest(c.Request().WithContext(v.Context(c.Request().Context())))
		c.Response().Status = v.Status
		return denied(c)
	}
	c.Response().Header().Set(echo.HeaderContentType, v.ContentType)
	c.Response().WriteHeader(v.Status)
	_, err := c.Response().Write([]byte(v.Body))
	return err
}

// serve runs a handler whose status counts.
func serve(c echo.Context, v *guard.Verdict, next echo.HandlerFunc) (err error) {
	v.Serve(func() int {
		if err = next(c); err != nil {
			c.Error(err)
		}
		return c.Response().Status
	})
	return err
}
