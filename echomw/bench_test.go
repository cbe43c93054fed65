package echomw_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/echomw"
	"github.com/slidegate/slidegate/keyfuncs"
)

// BenchmarkMiddleware is a request through the framework without a limiter,
// with one that allows, and with one that denies; the engine is a stub, both
// default dialects are on. What the limiter costs is the difference.
func BenchmarkMiddleware(b *testing.B) {
	api := core.PerMinute("api", 100)
	b.Run("bare", func(b *testing.B) { run(b, nil) })
	b.Run("allowed", func(b *testing.B) { run(b, echomw.LimitWith(coretest.StubEngine{Admits: true}, api, keyfuncs.IP, nil)) })
	b.Run("denied", func(b *testing.B) {
		run(b, echomw.LimitWith(coretest.StubEngine{Admits: false}, api, keyfuncs.IP, nil))
	})
}

func run(b *testing.B, limit echo.MiddlewareFunc) {
	e := echo.New()
	if limit != nil {
		e.Use(limit)
	}
	e.GET("/do", func(c echo.Context) error { _, err := c.Response().Write(nil); return err })
	loop(b, e)
}

// writer is a response that keeps nothing but its header.
type writer struct{ header http.Header }

func (w *writer) Header() http.Header         { return w.header }
func (w *writer) Write(p []byte) (int, error) { return len(p), nil }
func (w *writer) WriteHeader(int)             {}

// loop serves one request again and again, as a server would.
func loop(b *testing.B, h http.Handler) {
	r := httptest.NewRequest("GET", "/do", nil)
	r.RemoteAddr = "203.0.113.7:4711"
	w := &writer{http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		h.ServeHTTP(w, r)
	}
}
