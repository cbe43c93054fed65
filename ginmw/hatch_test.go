package ginmw_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/ginmw"
	"github.com/slidegate/slidegate/keyfuncs"
)

var api = core.PerMinute("api", 100)

// answer is what an app behind limit says to a GET of /.
func answer(limit gin.HandlerFunc) *httptest.ResponseRecorder {
	r := gin.New()
	r.GET("/", limit, func(c *gin.Context) { c.String(200, "ok") })
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	return w
}

func TestOnDenied(t *testing.T) {
	own := ginmw.OnDenied(func(c *gin.Context) {
		refusal, _ := guard.RefusalFrom(c.Request.Context())
		_, _ = c.Writer.WriteString("slow down: " + refusal.Decisions[0].Policy.Name)
	})
	w := answer(ginmw.LimitWith(coretest.StubEngine{Admits: false}, api, keyfuncs.IP, []guard.Option{own}))
	if w.Code != 429 || w.Body.String() != "slow down: api" || w.Header().Get("Retry-After") != "5" {
		t.Errorf("got %d %q %v", w.Code, w.Body, w.Header())
	}
	quiet := guard.OnError(func(keyfuncs.Request, error) guard.Action { return guard.Action{} })
	w = answer(ginmw.LimitWith(coretest.StubEngine{Admits: false}, api, keyfuncs.Fixed("x"), []guard.Option{own, quiet, guard.Cost(func(keyfuncs.Request) int64 { return -1 })}))
	if w.Code != 500 || strings.Contains(w.Body.String(), "slow") {
		t.Errorf("an error: got %d %q", w.Code, w.Body)
	}
}

func TestKey(t *testing.T) {
	seen := ""
	key := ginmw.Key(func(c *gin.Context) (string, error) { seen = c.FullPath(); return "k", nil })
	if w := answer(ginmw.LimitWith(coretest.StubEngine{Admits: true}, api, keyfuncs.Join(key, keyfuncs.IP), nil)); w.Code != 200 || seen != "/" {
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
		"ginmw: Limit: limiter is nil; ":    func() { ginmw.Limit(rl, api, keyfuncs.IP) },
		"ginmw: Limit: key is nil; ":        func() { ginmw.LimitWith(coretest.StubEngine{}, api, nil, nil) },
		"ginmw: Limit: policy: slidegate/c": func() { ginmw.LimitWith(coretest.StubEngine{}, core.Policy{}, keyfuncs.IP, nil) },
		"ginmw: Key: function is nil; ":     func() { ginmw.Key(nil) },
		"ginmw: OnDenied: handler is nil; ": func() { ginmw.OnDenied(nil) },
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
