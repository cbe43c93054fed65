package echomw_test

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/echomw"
	"github.com/slidegate/slidegate/keyfuncs"
)

// What Route yields, at each place where Echo takes a middleware.
func TestRoutes(t *testing.T) {
	seen := map[string]string{}
	limit := func(where string) echo.MiddlewareFunc {
		note := func(r keyfuncs.Request) (string, error) { seen[where] = r.Route(); return "k", nil }
		return echomw.LimitWith(coretest.StubEngine{Admits: true}, api, note, nil)
	}
	done := func(c echo.Context) error { return c.NoContent(204) }
	e := echo.New()
	e.Pre(limit("pre"))
	e.Use(limit("use"))
	e.GET("/u/:id", done, limit("route"))
	g := e.Group("/api", limit("group"))
	g.GET("/items", done)
	e.Host("other.example").GET("/hosted", done)
	for _, row := range []struct{ method, target, want string }{
		{"GET", "/u/7", "map[pre: route:/u/:id use:/u/:id]"},
		{"GET", "/api/items", "map[group:/api/items pre: use:/api/items]"},
		{"GET", "/api/none", "map[group:/api/* pre: use:/api/*]"},
		{"GET", "http://other.example/hosted", "map[pre: use:/hosted]"},
		{"GET", "/hosted", "map[pre:unmatched use:unmatched]"},
		{"GET", "/none", "map[pre:unmatched use:unmatched]"},
		{"POST", "/u/7", "map[pre: use:unmatched]"},
		{"OPTIONS", "/u/7", "map[pre: use:unmatched]"},
	} {
		clear(seen)
		e.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(row.method, row.target, nil))
		if got := fmt.Sprint(seen); got != row.want {
			t.Errorf("%s %s: got %s, want %s", row.method, row.target, got, row.want)
		}
	}
}
