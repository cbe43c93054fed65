package nethttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

var api = core.PerMinute("api", 100)

// answer is what h says to a GET of /.
func answer(h http.Handler) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	return w
}

var ok = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })

func TestOnDenied(t *testing.T) {
	own := nethttp.OnDenied(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refusal, _ := guard.RefusalFrom(r.Context())
		w.WriteHeader(refusal.Status)
		_, _ = io.WriteString(w, "slow down: "+refusal.Decisions[0].Policy.Name)
	}))
	w := answer(nethttp.LimitWith(coretest.StubEngine{Admits: false}, api, keyfuncs.IP, []guard.Option{own})(ok))
	if w.Code != 429 || w.Body.String() != "slow down: api" || w.Header().Get("Retry-After") != "5" || w.Header().Get("Content-Type") == "application/problem+json" {
		t.Errorf("got %d %q %v", w.Code, w.Body, w.Header())
	}
	quiet := guard.OnError(func(keyfuncs.Request, error) guard.Action { return guard.Action{} })
	w = answer(nethttp.LimitWith(coretest.StubEngine{Admits: false}, api, keyfuncs.Route, []guard.Option{own, quiet})(ok))
	if w.Code != 500 || strings.Contains(w.Body.String(), "slow") {
		t.Errorf("an error: got %d %q", w.Code, w.Body)
	}
}

func TestKey(t *testing.T) {
	seen := ""
	key := nethttp.Key(func(r *http.Request) (string, error) { seen = r.URL.Path; return "k", nil })
	if w := answer(nethttp.LimitWith(coretest.StubEngine{Admits: true}, api, keyfuncs.Join(key, keyfuncs.IP), nil)(ok)); w.Code != 200 || seen != "/" {
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
		"nethttp: Limit: limiter is nil; ":    func() { nethttp.Limit(rl, api, keyfuncs.IP) },
		"nethttp: Limit: key is nil; ":        func() { nethttp.LimitWith(coretest.StubEngine{}, api, nil, nil) },
		"nethttp: Limit: policy: slidegate/c": func() { nethttp.LimitWith(coretest.StubEngine{}, core.Policy{}, keyfuncs.IP, nil) },
		"nethttp: Limit: handler is nil; ":    func() { nethttp.LimitWith(coretest.StubEngine{}, api, keyfuncs.IP, nil)(nil) },
		"nethttp: Key: function is nil; ":     func() { nethttp.Key(nil) },
		"nethttp: OnDenied: handler is nil; ": func() { nethttp.OnDenied(nil) },
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

// With CountOnly the handler's writer is wrapped; what servers' writers can do
// works through it.
func TestCountOnlyKeepsTheWriter(t *testing.T) {
	charged := make(chan int, 1)
	counting := guard.CountOnly(func(status int) bool { charged <- status; return false })
	serve := func(want int, h http.HandlerFunc) {
		srv := httptest.NewServer(nethttp.LimitWith(coretest.StubEngine{Admits: true}, api, keyfuncs.IP, []guard.Option{counting})(h))
		defer srv.Close()
		r, err := srv.Client().Get(srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Body.Close()
		if got := <-charged; got != want {
			t.Errorf("counted as %d, want %d", got, want)
		}
	}
	serve(202, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusAccepted)
		w.(http.Flusher).Flush()
		if err := http.NewResponseController(w).EnableFullDuplex(); err != nil {
			t.Error(err)
		}
	})
	serve(200, func(w http.ResponseWriter, _ *http.Request) {
		if n, err := w.(io.ReaderFrom).ReadFrom(strings.NewReader("hello")); n != 5 || err != nil {
			t.Error(n, err)
		}
		if err := w.(http.Pusher).Push("/x", nil); !errors.Is(err, http.ErrNotSupported) {
			t.Error(err)
		}
	})
	serve(101, func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n")
		_ = c.Close()
	})
}

// A client that leaves stops neither the decision nor the charge.
func TestCancelledRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	nethttp.LimitWith(coretest.StubEngine{Admits: true}, api, keyfuncs.IP, nil)(ok).ServeHTTP(w, httptest.NewRequest("GET", "/", nil).WithContext(ctx))
	if w.Code != 200 || w.Header().Get("RateLimit") != `"api";r=41;t=5` {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
}
