package fibermw_test

import (
	"net"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/fibermw"
	"github.com/slidegate/slidegate/keyfuncs"
)

// BenchmarkMiddleware is a request through the framework without a limiter,
// with one that allows, and with one that denies; the engine is a stub, both
// default dialects are on. What the limiter costs is the difference.
func BenchmarkMiddleware(b *testing.B) {
	api := core.PerMinute("api", 100)
	b.Run("bare", func(b *testing.B) { run(b, nil) })
	b.Run("allowed", func(b *testing.B) {
		run(b, fibermw.LimitWith(coretest.StubEngine{Admits: true}, api, keyfuncs.IP, nil))
	})
	b.Run("denied", func(b *testing.B) {
		run(b, fibermw.LimitWith(coretest.StubEngine{Admits: false}, api, keyfuncs.IP, nil))
	})
}

func run(b *testing.B, limit fiber.Handler) {
	app := fiber.New()
	if limit != nil {
		app.Use(limit)
	}
	app.Get("/do", func(c *fiber.Ctx) error { return nil })
	h := app.Handler()
	var ctx fasthttp.RequestCtx
	var r fasthttp.Request
	r.SetRequestURI("/do")
	ctx.Init(&r, &net.TCPAddr{IP: net.IPv4(203, 0, 113, 7), Port: 4711}, nil)
	b.ReportAllocs()
	for b.Loop() {
		ctx.Response.Reset()
		ctx.ResetUserValues()
		h(&ctx)
	}
}
