package ginmw_test

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/ginmw"
)

func TestMain(m *testing.M) {
	gin.SetMode(gin.ReleaseMode)
	coretest.Main(m)
}

func TestSuite(t *testing.T) { coretest.AdapterSuite(t, serve) }

func TestUnmatched(t *testing.T) { coretest.AdapterUnmatched(t, serve) }

// serve is an app on Gin.
func serve(t testing.TB, app coretest.App) string {
	r := gin.New()
	r.Use(gin.CustomRecoveryWithWriter(io.Discard, func(c *gin.Context, _ any) { c.AbortWithStatus(500) }), authenticate)
	var limits []gin.HandlerFunc
	for _, m := range app.Limits {
		limits = append(limits, ginmw.Limit(m.Limiter, m.Policy, m.Key, m.Options...))
	}
	if app.Everywhere {
		r.Use(limits...)
		limits = nil
	}
	for _, route := range app.Routes {
		pattern := strings.NewReplacer("{", ":", "}", "").Replace(route)
		r.Any(pattern, append(limits[:len(limits):len(limits)], handler(app, route))...)
	}
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

func authenticate(c *gin.Context) {
	if id := c.GetHeader(coretest.UIDHeader); id != "" {
		c.Set("uid", id)
	}
}

func handler(app coretest.App, route string) gin.HandlerFunc {
	return func(c *gin.Context) {
		reply := app.Handle(route, c.Query("do"))
		if reply.Panic != "" {
			panic(reply.Panic)
		}
		c.Status(reply.Status)
		for _, chunk := range reply.Chunks {
			_, _ = c.Writer.WriteString(chunk)
			c.Writer.Flush()
			if reply.Between != nil {
				reply.Between()
			}
		}
	}
}
