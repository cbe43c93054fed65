package fibermw_test

import (
	"bufio"
	"net"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/recover"

	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/fibermw"
)

func TestMain(m *testing.M) { coretest.Main(m) }

func TestSuite(t *testing.T) { coretest.AdapterSuite(t, serve) }

// In Use no route is known yet.
func TestUse(t *testing.T) { coretest.AdapterUnrouted(t, serve) }

// serve is an app on Fiber.
func serve(t testing.TB, app coretest.App) string { return start(t, app, fiber.Config{}) }

func start(t testing.TB, app coretest.App, config fiber.Config) string {
	config.DisableStartupMessage, config.ReadBufferSize = true, 16<<10 // for headers of 8 KiB
	f := fiber.New(config)
	f.Use(recover.New(), authenticate)
	var limits []fiber.Handler
	for _, m := range app.Limits {
		limits = append(limits, fibermw.Limit(m.Limiter, m.Policy, m.Key, m.Options...))
	}
	if app.Everywhere {
		for _, limit := range limits {
			f.Use(limit)
		}
		limits = nil
	}
	for _, route := range app.Routes {
		pattern := strings.NewReplacer("{", ":", "}", "").Replace(route)
		f.All(pattern, append(limits[:len(limits):len(limits)], handler(app, route))...)
	}
	return listen(t, f)
}

// listen serves f on a free port until t ends.
func listen(t testing.TB, f *fiber.App) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- f.Listener(listener) }()
	t.Cleanup(func() {
		_ = f.Shutdown()
		<-done
	})
	return listener.Addr().String()
}

func authenticate(c *fiber.Ctx) error {
	if id := c.Get(coretest.UIDHeader); id != "" {
		c.Locals("uid", id)
	}
	return c.Next()
}

func handler(app coretest.App, route string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		reply := app.Handle(strings.Clone(route), strings.Clone(c.Query("do")))
		switch {
		case reply.Panic != "":
			panic(reply.Panic)
		case reply.Err:
			return fiber.NewError(reply.Status)
		case len(reply.Chunks) < 2:
			return c.Status(reply.Status).SendString(strings.Join(reply.Chunks, ""))
		}
		c.Status(reply.Status).Context().SetBodyStreamWriter(func(w *bufio.Writer) {
			for _, chunk := range reply.Chunks {
				_, _ = w.WriteString(chunk)
				_ = w.Flush()
				if reply.Between != nil {
					reply.Between()
				}
			}
		})
		return nil
	}
}
