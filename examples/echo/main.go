// Command echo is a small service on Echo with four limits: a public page by
// address, sign-in by failures, an API by user and plan, and one dear route of
// it. It uses the Redis of REDIS_URL, or one of its own.
package main

import (
	"log"
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/echomw"
	"github.com/slidegate/slidegate/examples/internal/demo"
	"github.com/slidegate/slidegate/keyfuncs"
)

func main() {
	rl, stop := demo.Limiter()
	defer stop()
	log.Print(app(rl).Start("localhost:8080"))
}

func app(rl *core.Limiter) *echo.Echo {
	public := echomw.Limit(rl, demo.Public, keyfuncs.IP)
	login := echomw.Limit(rl, demo.Login, keyfuncs.IP, guard.CountOnly(demo.Failed))
	api := echomw.Limit(rl, demo.Free, keyfuncs.UserID("uid"), guard.PolicyFor(planOf))
	report := echomw.Limit(rl, demo.Report, keyfuncs.Join(keyfuncs.UserID("uid"), keyfuncs.Route))

	e := echo.New()
	e.Use(middleware.Recover())
	e.GET("/", text("welcome"), public)
	e.POST("/login", signIn, login)
	group := e.Group("/api", authenticate, api)
	group.GET("/items", text("items"))
	group.GET("/report", text("report"), report)
	return e
}

func planOf(r keyfuncs.Request, _ core.Policy) core.Policy { return demo.Plan(r.Value("plan")) }

func authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		account, ok := demo.Find(c.Request().Header.Get("Authorization"))
		if !ok {
			return echo.ErrUnauthorized
		}
		c.Set("uid", account.ID)
		c.Set("plan", account.Plan)
		return next(c)
	}
}

func signIn(c echo.Context) error {
	if c.FormValue("password") != demo.Password {
		return echo.NewHTTPError(http.StatusUnauthorized, "wrong password")
	}
	return c.String(http.StatusOK, "welcome back\n")
}

func text(s string) echo.HandlerFunc {
	return func(c echo.Context) error { return c.String(http.StatusOK, s+"\n") }
}
