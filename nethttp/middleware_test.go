package nethttp_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

func TestMain(m *testing.M) { coretest.Main(m) }

type userKey struct{}

// get asks a handler over real HTTP and returns the answer and its body.
func get(t *testing.T, h http.Handler, user string) (*http.Response, string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, user)))
	}))
	defer server.Close()
	answer, err := server.Client().Get(server.URL + "/path")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

var ok = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "served") })

func limiterOn(t *testing.T, rdb redis.UniversalClient) *core.Limiter {
	t.Helper()
	rl, err := core.New(rdb, core.Timeout(5*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rl.Close() })
	return rl
}

func TestWhatAClientSees(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		for name, key := range map[string]keyfuncs.Func{
			"by-address": keyfuncs.IP, "by-path": keyfuncs.Path, "by-user": keyfuncs.UserID(userKey{}),
		} {
			p := core.PerHour(name, 2)
			h := nethttp.Limit(limiterOn(t, s.Client(t)), p, key)(ok)
			for i, want := range []struct {
				status          int
				remaining, body string
			}{{200, "1", "served"}, {200, "0", "served"}, {429, "0", "too many requests\n"}} {
				answer, body := get(t, h, "anna")
				if answer.StatusCode != want.status || answer.Header.Get("X-RateLimit-Remaining") != want.remaining || body != want.body {
					t.Errorf("%s, request %d: %d, %q left, %q; want %+v", name, i+1, answer.StatusCode, answer.Header.Get("X-RateLimit-Remaining"), body, want)
				}
				if retry := answer.Header.Get("Retry-After"); (retry != "") != (want.status == 429) {
					t.Errorf("%s, request %d: Retry-After %q", name, i+1, retry)
				}
			}
		}
		answer, _ := get(t, nethttp.Limit(limiterOn(t, s.Client(t)), core.PerHour("by-user", 2), keyfuncs.UserID(userKey{}))(ok), "ben")
		if answer.StatusCode != 200 {
			t.Errorf("another user: %d; want one user's limit to be that user's", answer.StatusCode)
		}
	})
}

func TestNoKeyIsADeploymentMistake(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		h := nethttp.Limit(limiterOn(t, s.Client(t)), core.PerHour("nobody", 2), keyfuncs.UserID(userKey{}))(ok)
		if answer, body := get(t, h, ""); answer.StatusCode != 500 || strings.Contains(body, "served") {
			t.Errorf("%d %q; want 500", answer.StatusCode, body)
		}
	})
}

func TestWithoutRedis(t *testing.T) {
	rdb := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", ContextTimeoutEnabled: true})
	t.Cleanup(func() { rdb.Close() })
	rl, err := core.New(rdb)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rl.Close() })
	open := core.PerHour("down", 2)
	if answer, _ := get(t, nethttp.Limit(rl, open, keyfuncs.IP)(ok), ""); answer.StatusCode != 200 || answer.Header.Get("X-RateLimit-Remaining") != "" {
		t.Errorf("open: %d %v; want it served, without numbers", answer.StatusCode, answer.Header)
	}
	closed := open
	closed.OnOutage = core.Closed
	if answer, _ := get(t, nethttp.Limit(rl, closed, keyfuncs.IP)(ok), ""); answer.StatusCode != 503 || answer.Header.Get("Retry-After") != "1" {
		t.Errorf("closed: %d %v; want 503 and Retry-After 1", answer.StatusCode, answer.Header)
	}
}

func TestMistakesPanicWhenMounted(t *testing.T) {
	rdb := redis.NewClient(&redis.Options{})
	t.Cleanup(func() { rdb.Close() })
	rl := limiterOn(t, rdb)
	for want, mount := range map[string]func(){
		"limiter is nil": func() { nethttp.Limit(nil, core.PerHour("p", 1), keyfuncs.IP) },
		"key is nil":     func() { nethttp.Limit(rl, core.PerHour("p", 1), nil) },
		"Limit is 0":     func() { nethttp.Limit(rl, core.PerHour("p", 0), keyfuncs.IP) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "nethttp: ") || !strings.Contains(text, want) {
					t.Errorf("panic %q; want one of nethttp that says %q", text, want)
				}
			}()
			mount()
		}()
	}
}
