package sections

import (
	"context"
	"log"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/gofiber/fiber/v2"
	"github.com/labstack/echo/v4"
	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/echomw"
	"github.com/slidegate/slidegate/fibermw"
	"github.com/slidegate/slidegate/ginmw"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

// What the README's first page shows. It serves until the process ends, so
// nothing calls it: that it compiles is the point. The examples run the same.
var _ = []any{setUp, oneLine, oneLineChi, oneLineGin, oneLineEcho, oneLineFiber, engine}

func setUp() {
	rdb := redis.NewClient(&redis.Options{Addr: "localhost:6379", ContextTimeoutEnabled: true})
	rl, err := core.New(rdb) // sends nothing yet: the app starts while Redis is down
	if err != nil {
		log.Fatal(err)
	}
	defer rl.Close()

	mux := http.NewServeMux()
	mux.HandleFunc("/", hello)
	log.Fatal(http.ListenAndServe(":8080", nethttp.Limit(rl, core.PerMinute("api", 100), keyfuncs.IP)(mux)))
}

func oneLine(rl *core.Limiter, addr string, mux *http.ServeMux) {
	http.ListenAndServe(addr, nethttp.Limit(rl, core.PerMinute("api", 100), keyfuncs.IP)(mux))
}

func oneLineChi(rl *core.Limiter, r chi.Router) {
	r.Use(nethttp.Limit(rl, core.PerMinute("api", 100), keyfuncs.IP))
}

func oneLineGin(rl *core.Limiter, r *gin.Engine) {
	r.Use(ginmw.Limit(rl, core.PerMinute("api", 100), keyfuncs.IP))
}

func oneLineEcho(rl *core.Limiter, e *echo.Echo) {
	e.Use(echomw.Limit(rl, core.PerMinute("api", 100), keyfuncs.IP))
}

func oneLineFiber(rl *core.Limiter, app *fiber.App) {
	app.Use(fibermw.Limit(rl, core.PerMinute("api", 100), keyfuncs.IP))
}

func engine(ctx context.Context, rl *core.Limiter, policy core.Policy, user string) (bool, error) {
	d, err := rl.AllowN(ctx, policy, user, 3) // 3 units or none
	if err != nil {
		return d.Allowed, err
	}
	ds, err := rl.AllowAll(ctx, // both or neither, in one round trip
		core.Charge{Policy: core.PerSecond("burst", 10), Key: user, Cost: 1},
		core.Charge{Policy: core.PerDay("daily", 1000), Key: user, Cost: 1})
	pass := core.Allowed(ds)
	return pass, err
}
