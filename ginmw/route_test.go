package ginmw_test

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/ginmw"
	"github.com/slidegate/slidegate/keyfuncs"
)

// What Route yields, at each place where Gin takes a middleware.
func TestRoutes(t *testing.T) {
	seen := map[string]string{}
	limit := func(where string) gin.HandlerFunc {
		note := func(r keyfuncs.Request) (string, error) { seen[where] = r.Route(); return "k", nil }
		return ginmw.LimitWith(coretest.StubEngine{Admits: true}, api, note, nil)
	}
	r := gin.New()
	r.HandleMethodNotAllowed = true
	r.Use(limit("use"))
	r.GET("/u/:id", limit("route"), func(*gin.Context) {})
	for _, row := range []struct{ method, target, want string }{
		{"GET", "/u/7", "map[route:/u/:id use:/u/:id]"},
		{"GET", "/none", "map[use:unmatched]"},
		{"POST", "/u/7", "map[use:unmatched]"},
		{"GET", "/u/7/", "map[]"}, // redirected before any middleware
	} {
		clear(seen)
		r.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(row.method, row.target, nil))
		if got := fmt.Sprint(seen); got != row.want {
			t.Errorf("%s %s: got %s, want %s", row.method, row.target, got, row.want)
		}
	}
}
