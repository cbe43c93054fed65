package echomw_test

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/echomw"
)

func TestMain(m *testing.M) { coretest.Main(m) }

func TestSuite(t *testing.T) { coretest.AdapterSuite(t, serve) }

func TestUnmatched(t *testing.T) { coretest.AdapterUnmatched(t, serve) }

// In Pre no route is known yet.
func TestPre(t *testing.T) {
	coretest.AdapterUnrouted(t, func(t testing.TB, app coretest.App) string {
		e := newApp()
		e.Pre(limits(app)...)
		app.Everywhere, app.Limits = false, nil
		return start(t, e, app)
	})
}

// serve is an app on Echo.
func serve(t testing.TB, app coretest.App) string { return start(t, newApp(), app) }

func newApp() *echo.Echo {
	e := echo.New()
	e.Logger.SetOutput(io.Discard)
	e.Use(middleware.Recover(), authenticate)
	return e
}

func limits(app coretest.App) (all []echo.MiddlewareFunc) {
	for _, m := range app.Limits {
		all = append(all, echomw.Limit(m.Limiter, m.Policy, m.Key, m.Options...))
	}
	return all
}

func start(t testing.TB, e *echo.Echo, app coretest.App) string {
	perRoute := limits(app)
	if app.Everywhere {
		e.Use(perRoute...)
		perRoute = nil
	}
	for _, route := range app.Routes {
		pattern := strings.NewReplacer("{", ":", "}", "").Replace(route)
		e.Any(pattern, handler(app, route), perRoute...)
	}
	srv := httptest.NewServer(e)
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

func authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if id := c.Request().Header.Get(coretest.UIDHeader); id != "" {
			c.Set("uid", id)
		}
		return next(c)
	}
}

func handler(app coretest.App, route string) echo.HandlerFunc {
	return func(c echo.Context) error {
		reply := app.Handle(route, c.QueryParam("do"))
		switch {
		case reply.Panic != "":
			panic(reply.Panic)
		case reply.Err:
			return echo.NewHTTPError(reply.Status)
		}
		c.Response().WriteHeader(reply.Status)
		for _, chunk := range reply.Chunks {
			_, _ = io.WriteString(c.Response(), chunk)
			c.Response().Flush()
			if reply.Between != nil {
				reply.Between()
			}
		}
		return nil
	}
}
