// Command fiber is a small service on Fiber with four limits: a public page by
// address, sign-in by failures, an API by user and plan, and one dear route of
// it. It uses the Redis of REDIS_URL, or one of its own.
package main

import (
	"log"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/recover"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/examples/internal/demo"
	"github.com/slidegate/slidegate/fibermw"
	"github.com/slidegate/slidegate/keyfuncs"
)

func main() {
	rl, stop := demo.Limiter()
	defer stop()
	log.Print(app(rl).Listen("localhost:8080"))
}

func app(rl *core.Limiter) *fiber.App {
	public := fibermw.Limit(rl, demo.Public, keyfuncs.IP)
	login := fibermw.Limit(rl, demo.Login, keyfuncs.IP, guard.CountOnly(demo.Failed))
	api := fibermw.Limit(rl, demo.Free, keyfuncs.UserID("uid"), guard.PolicyFor(planOf))
	report := fibermw.Limit(rl, demo.Report, keyfuncs.Join(keyfuncs.UserID("uid"), keyfuncs.Route))

	f := fiber.New(fiber.Config{DisableStartupMessage: true})
	f.Use(recover.New())
	f.Get("/", public, text("welcome"))
	f.Post("/login", login, signIn)
	group := f.Group("/api", authenticate, api)
	group.Get("/items", text("items"))
	group.Get("/report", report, text("report"))
	return f
}

func planOf(r keyfuncs.Request, _ core.Policy) core.Policy { return demo.Plan(r.Value("plan")) }

func authenticate(c *fiber.Ctx) error {
	account, ok := demo.Find(c.Get("Authorization"))
	if !ok {
		return fiber.ErrUnauthorized
	}
	c.Locals("uid", account.ID)
	c.Locals("plan", account.Plan)
	return c.Next()
}

func signIn(c *fiber.Ctx) error {
	if c.FormValue("password") != demo.Password {
		return fiber.NewError(fiber.StatusUnauthorized, "wrong password")
	}
	return c.SendString("welcome back\n")
}

func text(s string) fiber.Handler {
	return func(c *fiber.Ctx) error { return c.SendString(s + "\n") }
}
