package nethttp_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

// What Route yields depends on whether a mux has run.
func TestRoutes(t *testing.T) {
	seen := map[string]string{}
	limit := func(where string) func(http.Handler) http.Handler {
		note := func(r keyfuncs.Request) (string, error) { seen[where] = r.Route(); return "k", nil }
		return nethttp.LimitWith(coretest.StubEngine{Admits: true}, api, note, []guard.Option{guard.Headers(guard.None)})
	}
	inner := http.NewServeMux()
	inner.Handle("GET /api/u/{id}", limit("handler")(ok))
	outer := http.NewServeMux()
	outer.Handle("/api/", limit("inner mux")(inner))
	limit("outer mux")(outer).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/u/7", nil))
	want := map[string]string{"outer mux": "", "inner mux": "/api/", "handler": "GET /api/u/{id}"}
	if !maps.Equal(seen, want) {
		t.Errorf("got %q, want %q", seen, want)
	}
}
