// Package sections holds the snippets of the README's sections by task, so that
// they compile and do what the text says.
package sections

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/ginmw"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

var pages, items, signIn = http.HandlerFunc(hello), http.HandlerFunc(hello), http.HandlerFunc(hello)

func hello(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("password") == "guess" {
		w.WriteHeader(http.StatusUnauthorized)
	}
}

func limiter(t *testing.T) *core.Limiter {
	rl, err := core.New(coretest.Start(t, coretest.Mini).Client(t))
	if err != nil {
		t.Fatal(err)
	}
	return rl
}

// statuses are those of n requests to h.
func statuses(h http.Handler, n int, change func(*http.Request)) (all []int) {
	for range n {
		r := httptest.NewRequest("GET", "/login?password=guess", nil)
		if change != nil {
			change(r)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		all = append(all, w.Code)
	}
	return all
}

func TestBehindAProxy(t *testing.T) {
	rl := limiter(t)
	proxies := netip.MustParsePrefix("10.0.0.0/8") // where your proxies connect from
	h := nethttp.Limit(rl, core.PerMinute("pages", 1), keyfuncs.IPBehind(proxies))(pages)
	for _, client := range []string{"203.0.113.7", "203.0.113.8"} {
		got := statuses(h, 2, func(r *http.Request) {
			r.RemoteAddr = "10.0.0.1:80"
			r.Header.Set("X-Forwarded-For", client)
		})
		if got[1] != 429 {
			t.Errorf("%s: got %d", client, got)
		}
	}
}

func TestPerUser(t *testing.T) {
	rl := limiter(t)
	key := keyfuncs.FirstOf(
		keyfuncs.Join(keyfuncs.Fixed("user"), keyfuncs.UserID("uid")),
		keyfuncs.IP)
	r := gin.New()
	r.Use(authenticate) // c.Set("uid", …), before the limiter
	r.Use(ginmw.Limit(rl, core.PerMinute("api", 100), key))
	statuses(r, 1, nil)
}

func authenticate(c *gin.Context) { c.Set("uid", "ann"); c.Set("plan", "pro") }

func TestPlans(t *testing.T) {
	rl := limiter(t)
	free, pro := core.PerHour("free", 100), core.PerHour("pro", 10_000)
	limit := ginmw.Limit(rl, free, keyfuncs.UserID("uid"),
		guard.PolicyFor(func(r keyfuncs.Request, p core.Policy) core.Policy {
			if r.Value("plan") == "pro" {
				return pro
			}
			return p
		}))
	r := gin.New()
	r.GET("/login", authenticate, limit)
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest("GET", "/login", nil))
	if got := w.Header().Get("X-RateLimit-Limit"); got != "10000" {
		t.Errorf("limit %q, header %v", got, w.Header())
	}
}

func TestFailedLogins(t *testing.T) {
	rl := limiter(t)
	login := nethttp.Limit(rl, core.PerMinute("login", 5), keyfuncs.IP,
		guard.CountOnly(func(status int) bool { return status == http.StatusUnauthorized }))
	mux := http.NewServeMux()
	mux.Handle("/login", login(signIn))
	if got := statuses(mux, 6, nil); got[4] != 401 || got[5] != 429 {
		t.Errorf("got %d", got)
	}
}

func TestTwoLimits(t *testing.T) {
	rl := limiter(t)
	limit := nethttp.Limit(rl, core.PerSecond("burst", 10), keyfuncs.IP,
		guard.And(core.PerDay("daily", 1000), keyfuncs.IP))
	w := httptest.NewRecorder()
	limit(items).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if got := w.Header().Get("RateLimit-Policy"); got != `"burst";q=10;w=1, "daily";q=1000;w=86400` {
		t.Errorf("got %s", got)
	}
}

func TestOwn429(t *testing.T) {
	rl := limiter(t)
	own := nethttp.OnDenied(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refusal, _ := guard.RefusalFrom(r.Context()) // 429, or 503 while Redis is away
		w.WriteHeader(refusal.Status)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "slow down"})
	}))
	limit := nethttp.Limit(rl, core.PerMinute("api", 1), keyfuncs.IP, own,
		guard.OnError(func(_ keyfuncs.Request, err error) guard.Action { return guard.Refuse(http.StatusUnauthorized) }))
	if got := statuses(limit(items), 2, nil); got[1] != 429 {
		t.Errorf("got %d", got)
	}
}
