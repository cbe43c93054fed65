package fibermw_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/fibermw"
	"github.com/slidegate/slidegate/keyfuncs"
)

var api = core.PerMinute("api", 100)

// answer is what an app behind limit says to a GET of /.
func answer(t *testing.T, limit fiber.Handler) (*http.Response, string) {
	t.Helper()
	r := fiber.New()
	r.Get("/", limit, func(c *fiber.Ctx) error { return c.SendString("ok") })
	w, err := r.Test(httptest.NewRequest("GET", "/", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return w, string(body)
}

func TestOnDenied(t *testing.T) {
	own := fibermw.OnDenied(func(c *fiber.Ctx) error {
		refusal, _ := guard.RefusalFrom(c.UserContext())
		return c.SendString("slow down: " + refusal.Decisions[0].Policy.Name)
	})
	w, body := answer(t, fibermw.LimitWith(coretest.StubEngine{Admits: false}, api, keyfuncs.IP, []guard.Option{own}))
	if w.StatusCode != 429 || body != "slow down: api" || w.Header.Get("Retry-After") != "5" {
		t.Errorf("got %d %q %v", w.StatusCode, body, w.Header)
	}
	quiet := guard.OnError(func(keyfuncs.Request, error) guard.Action { return guard.Action{} })
	w, body = answer(t, fibermw.LimitWith(coretest.StubEngine{Admits: false}, api, keyfuncs.Fixed("x"), []guard.Option{own, quiet, guard.Cost(func(keyfuncs.Request) int64 { return -1 })}))
	if w.StatusCode != 500 || strings.Contains(body, "slow") {
		t.Errorf("an error: got %d %q", w.StatusCode, body)
	}
}

func TestKey(t *testing.T) {
	seen := ""
	key := fibermw.Key(func(c *fiber.Ctx) (string, error) { seen = c.Path(); return "k", nil })
	if w, _ := answer(t, fibermw.LimitWith(coretest.StubEngine{Admits: true}, api, keyfuncs.Join(key, keyfuncs.IP), nil)); w.StatusCode != 200 || seen != "/" {
		t.Errorf("got %d, seen %q", w.StatusCode, seen)
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
		"fibermw: Limit: limiter is nil; ":    func() { fibermw.Limit(rl, api, keyfuncs.IP) },
		"fibermw: Limit: key is nil; ":        func() { fibermw.LimitWith(coretest.StubEngine{}, api, nil, nil) },
		"fibermw: Limit: policy: slidegate/c": func() { fibermw.LimitWith(coretest.StubEngine{}, core.Policy{}, keyfuncs.IP, nil) },
		"fibermw: Key: function is nil; ":     func() { fibermw.Key(nil) },
		"fibermw: OnDenied: handler is nil; ": func() { fibermw.OnDenied(nil) },
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

// Apps may have fasthttp leave names of headers as they came; proxies send
// them in any case.
func TestHeaderNamesAsTheyCame(t *testing.T) {
	var seen []string
	key := func(r keyfuncs.Request) (string, error) {
		seen = append(r.HeaderValues("X-Forwarded-For"), r.HeaderValues("X-Api-Key")...)
		return "k", nil
	}
	r := fiber.New(fiber.Config{DisableHeaderNormalizing: true})
	r.Get("/", fibermw.LimitWith(coretest.StubEngine{Admits: true}, api, key, nil))
	request := httptest.NewRequest("GET", "/", nil)
	request.Header["x-forwarded-for"] = []string{"a", "b"}
	request.Header["X-FORWARDED-FOR"] = []string{"c"}
	request.Header["x-api-\u212aey"] = []string{"forged"} // the Kelvin sign, which Unicode folds to k
	w, err := r.Test(request)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	slices.Sort(seen)
	if got := strings.Join(seen, " "); got != "a b c" {
		t.Errorf("got %q", got)
	}
}
