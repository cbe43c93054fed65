package echomw_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/echomw"
	"github.com/slidegate/slidegate/keyfuncs"
)

var api = core.PerMinute("api", 100)

// answer is what an app behind limit says to a GET of /.
func answer(limit echo.MiddlewareFunc) *httptest.ResponseRecorder {
	r := echo.New()
	r.GET("/", func(c echo.Context) error { return c.String(200, "ok") }, limit)
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	return w
}

func TestOnDenied(t *testing.T) {
	own := echomw.OnDenied(func(c echo.Context) error {
		refusal, _ := guard.RefusalFrom(c.Request().Context())
		_, err := c.Response().Write([]byte("slow down: " + refusal.Decisions[0].Policy.Name))
		return err
	})
	w := answer(echomw.LimitWith(coretest.StubEngine{Admits: false}, api, keyfuncs.IP, []guard.Option{own}))
	if w.Code != 429 || w.Body.String() != "slow down: api" || w.Header().Get("Retry-After") != "5" {
		t.Errorf("got %d %q %v", w.Code, w.Body, w.Header())
	}
	quiet := guard.OnError(func(keyfuncs.Request, error) guard.Action { return guard.Action{} })
	w = answer(echomw.LimitWith(coretest.StubEngine{Admits: false}, api, keyfuncs.Fixed("x"), []guard.Option{own, quiet, guard.Cost(func(keyfuncs.Request) int64 { return -1 })}))
	if w.Code != 500 || strings.Contains(w.Body.String(), "slow") {
		t.Errorf("an error: got %d %q", w.Code, w.Body)
	}
}

func TestKey(t *testing.T) {
	seen := ""
	key := echomw.Key(func(c echo.Context) (string, error) { seen = c.Path(); return "k", nil })
	if w := answer(echomw.LimitWith(coretest.StubEngine{Admits: true}, api, keyfuncs.Join(key, keyfuncs.IP), nil)); w.Code != 200 || seen != "/" {
		t.Errorf("got %d, seen %q", w.Code, seen)
	}
	if _, err := key(foreign{}); err == nil || !strings.Contains(err.Error(), "another framework") {
		t.Errorf("got %v", err)
	}
}

// foreign is a request of another adapter.
type foreign struct{ keyfuncs.Request }

func TestMistakesPanicAtMount(t *testing.T) {
	var rl *core.Limiter
	for text, mount := range map[string]func(){
		"echomw: Limit: limiter is nil; ":    func() { echomw.Limit(rl, api, keyfuncs.IP) },
		"echomw: Limit: key is nil; ":        func() { echomw.LimitWith(coretest.StubEngine{}, api, nil, nil) },
		"echomw: Limit: policy: slidegate/c": func() { echomw.LimitWith(coretest.StubEngine{}, core.Policy{}, keyfuncs.IP, nil) },
		"echomw: Key: function is nil; ":     func() { echomw.Key(nil) },
		"echomw: OnDenied: handler is nil; ": func() { echomw.OnDenied(nil) },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, text) {
					t.Errorf("panic %q, want %q", got, text)
				}
			}()
			mount()
		}()
	}
}
