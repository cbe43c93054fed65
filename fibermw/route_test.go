package fibermw_test

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/fibermw"
	"github.com/slidegate/slidegate/keyfuncs"
)

// What Route yields, at each place where Fiber takes a middleware.
func TestRoutes(t *testing.T) {
	seen := map[string]string{}
	limit := func(where string) fiber.Handler {
		note := func(r keyfuncs.Request) (string, error) { seen[where] = r.Route(); return "k", nil }
		return fibermw.LimitWith(coretest.StubEngine{Admits: true}, api, note, nil)
	}
	done := func(c *fiber.Ctx) error { return nil }
	mounted := fiber.New()
	mounted.Get("/leaf", limit("mounted"), done)
	f := fiber.New()
	f.Use(limit("use"))
	f.Use("/u", limit("prefix"))
	f.Get("/u/:id", limit("route"), done)
	f.Group("/api", limit("group")).Get("/items", limit("item"), done)
	f.Mount("/sub", mounted)
	for _, row := range []struct{ target, want string }{
		{"/u/7", "map[prefix: route:/u/:id use:]"},
		{"/U/7/", "map[prefix: route:/u/:id use:]"},
		{"/api/items", "map[group: item:/api/items use:]"},
		{"/sub/leaf", "map[mounted:/sub/leaf use:]"},
		{"/none", "map[use:]"},
	} {
		clear(seen)
		if _, err := f.Test(httptest.NewRequest("GET", row.target, nil)); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(seen); got != row.want {
			t.Errorf("%s: got %s, want %s", row.target, got, row.want)
		}
	}
}
