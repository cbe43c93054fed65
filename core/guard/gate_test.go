package guard_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/keyfuncs"
)

var three = core.PerMinute("three", 3)

// statuses judges n requests, each through a gate of its own engine state.
func statuses(g *guard.Gate, r request, n int) (all []int) {
	for range n {
		v := g.Judge(r)
		all = append(all, v.Status)
	}
	return all
}

func TestJudge(t *testing.T) {
	double := guard.Cost(func(keyfuncs.Request) int64 { return 2 })
	always := func(keyfuncs.Request) bool { return true }
	big := func(keyfuncs.Request, core.Policy) core.Policy { return core.PerMinute("big", 4) }
	rows := []struct {
		about string
		opts  []guard.Option
		want  string
		spent string
	}{
		{"three pass", nil, "[0 0 0 429]", "map[three one:3]"},
		{"cost 2", []guard.Option{double}, "[0 429 429 429]", "map[three one:2]"},
		{"skip", []guard.Option{guard.Skip(always)}, "[0 0 0 0]", "map[]"},
		{"dry run counts", []guard.Option{guard.DryRun()}, "[0 0 0 0]", "map[three one:3]"},
		{"another plan", []guard.Option{guard.PolicyFor(big)}, "[0 0 0 0]", "map[big one:4]"},
		{"both or neither", []guard.Option{guard.And(core.PerDay("day", 2), keyfuncs.Fixed("two"))}, "[0 0 429 429]", "map[day two:2 three one:2]"},
		{"free", []guard.Option{guard.Cost(func(keyfuncs.Request) int64 { return 0 })}, "[0 0 0 0]", "map[three one:0]"},
	}
	for _, row := range rows {
		e := newEngine()
		g := guard.New("test", e, three, one, row.opts...)
		if got := fmt.Sprint(statuses(g, request{}, 4)); got != row.want {
			t.Errorf("%s: got %s, want %s", row.about, got, row.want)
		}
		if got := fmt.Sprint(e.spent); got != row.spent {
			t.Errorf("%s: spent %s, want %s", row.about, got, row.spent)
		}
	}
}

func TestDenial(t *testing.T) {
	e := newEngine()
	g := guard.New("test", e, core.PerMinute("one", 1), one, guard.Headers(guard.Draft11))
	g.Judge(request{})
	v := g.Judge(request{method: "GET"})
	want := map[string]string{
		"RateLimit-Policy": `"one";q=1;w=60`, "RateLimit": `"one";r=0;t=5`, "Retry-After": "7", "Cache-Control": "no-store",
	}
	if got := sent(&v, nil); !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	const body = `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota Exceeded","status":429,"violated-policies":["one"]}`
	if v.Body != body || v.ContentType != "application/problem+json" {
		t.Errorf("got %s %s", v.ContentType, v.Body)
	}
	plain := g.Judge(request{accept: []string{"text/plain"}})
	if plain.Body != "Too many requests. Try again in 7 s.\n" || plain.ContentType != "text/plain; charset=utf-8" {
		t.Errorf("got %s %q", plain.ContentType, plain.Body)
	}
	head := g.Judge(request{method: "HEAD"})
	if head.Body != "" || head.Status != 429 {
		t.Errorf("HEAD: got %d %q", head.Status, head.Body)
	}
	refusal, ok := guard.RefusalFrom(v.Context(t.Context()))
	if !ok || refusal.Status != 429 || len(refusal.Decisions) != 1 || refusal.Decisions[0].Policy.Name != "one" {
		t.Errorf("got %+v, %v", refusal, ok)
	}
	if _, ok := guard.RefusalFrom(t.Context()); ok {
		t.Error("a refusal out of nowhere")
	}
}

func TestCostAboveCapacity(t *testing.T) {
	g := guard.New("test", newEngine(), three, one, guard.Cost(func(keyfuncs.Request) int64 { return 4 }))
	v := g.Judge(request{accept: []string{"text/plain"}})
	if _, has := sent(&v, nil)["Retry-After"]; has || v.Status != 429 {
		t.Errorf("got %d with Retry-After %v", v.Status, has)
	}
	if v.Body != "This request is larger than the limit allows.\n" {
		t.Errorf("got %q", v.Body)
	}
}

// While Redis is away the Decision is enough; nothing else is consulted.
func TestOutage(t *testing.T) {
	silence(t)
	e := newEngine()
	e.err = errors.New("redis at 10.0.0.1:6379 is gone")
	e.down = func(p core.Policy) core.Decision {
		if p.OnOutage == core.Closed {
			return core.Decision{Policy: p, Degraded: core.FailedClosed, RetryAfter: 1}
		}
		return core.Decision{Policy: p, Allowed: true, Degraded: core.FailedOpen}
	}
	never := guard.OnError(func(keyfuncs.Request, error) guard.Action { t.Error("OnError called"); return guard.Action{} })
	v := guard.New("test", e, three, one, never).Judge(request{})
	if v.Refused() || len(sent(&v, nil)) > 0 {
		t.Errorf("open: got %d, %v", v.Status, sent(&v, nil))
	}
	closed := three
	closed.OnOutage, closed.Name = core.Closed, "closed"
	v = guard.New("test", e, three, one, never, guard.And(closed, one)).Judge(request{})
	if want := map[string]string{"Retry-After": "1", "Cache-Control": "no-store"}; v.Status != 503 || !maps.Equal(sent(&v, nil), want) {
		t.Errorf("closed: got %d, %v", v.Status, sent(&v, nil))
	}
	const body = `{"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity","title":"Temporary Reduced Capacity","status":503,"violated-policies":["closed"]}`
	if v.Body != body {
		t.Errorf("got %s", v.Body)
	}
}

func TestTrouble(t *testing.T) {
	silence(t)
	noKey := func(keyfuncs.Request) (string, error) { return "", fmt.Errorf("%w: nobody", keyfuncs.ErrNoKey) }
	empty := func(keyfuncs.Request) (string, error) { return "", nil }
	zero := guard.PolicyFor(func(keyfuncs.Request, core.Policy) core.Policy { return core.Policy{} })
	negative := guard.Cost(func(keyfuncs.Request) int64 { return -1 })
	gone := newEngine()
	gone.err = core.ErrClosed
	rows := []struct {
		about string
		e     *engine
		key   keyfuncs.Func
		opt   guard.Option
		is    func(error) bool
	}{
		{"no key", newEngine(), noKey, guard.Headers(guard.Draft11), func(err error) bool { return errors.Is(err, keyfuncs.ErrNoKey) }},
		{"empty key", newEngine(), empty, guard.Headers(guard.Draft11), func(err error) bool { return errors.Is(err, keyfuncs.ErrNoKey) }},
		{"invalid plan", newEngine(), one, zero, func(err error) bool {
			_, ok := errors.AsType[*core.PolicyError](err)
			return ok && strings.HasPrefix(err.Error(), "test: PolicyFor: ")
		}},
		{"negative cost", newEngine(), one, negative, func(err error) bool { return strings.Contains(err.Error(), "Cost") }},
		{"closed", gone, one, guard.Headers(guard.Draft11), func(err error) bool { return errors.Is(err, core.ErrClosed) }},
	}
	for _, row := range rows {
		v := guard.New("test", row.e, three, row.key, row.opt).Judge(request{})
		const body = `{"title":"Internal Server Error","status":500}`
		if v.Status != 500 || v.Body != body || v.Denied() {
			t.Errorf("%s: got %d %s", row.about, v.Status, v.Body)
		}
		var seen error
		for action, want := range map[guard.Action]int{guard.Serve(): 0, guard.Refuse(401): 401, guard.Refuse(200): 500, {}: 500} {
			asked := guard.OnError(func(_ keyfuncs.Request, err error) guard.Action { seen = err; return action })
			v := guard.New("test", row.e, three, row.key, row.opt, asked).Judge(request{})
			if v.Status != want {
				t.Errorf("%s: got %d, want %d", row.about, v.Status, want)
			}
		}
		if !row.is(seen) {
			t.Errorf("%s: got error %v", row.about, seen)
		}
		if v := guard.New("test", row.e, three, row.key, row.opt, guard.DryRun()).Judge(request{}); v.Refused() {
			t.Errorf("%s: a dry run refused", row.about)
		}
	}
}

// A client that has hung up is counted like any other.
func TestClientGone(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	e := newEngine()
	guard.New("test", e, three, one).Judge(request{ctx: gone})
	if err := e.ctx.Err(); err != nil {
		t.Errorf("the engine was called with a context that is %v", err)
	}
}

// silence keeps the log to the test, which gets it as text.
func silence(t *testing.T) *strings.Builder {
	text, before := &strings.Builder{}, slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(text, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return text
}

// A Limit that goes wrong for every request says so once a minute.
func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := silence(t)
		noKey := func(keyfuncs.Request) (string, error) { return "", keyfuncs.ErrNoKey }
		g := guard.New("test", newEngine(), three, noKey)
		for range 3 {
			statuses(g, request{}, 100)
			time.Sleep(time.Minute)
		}
		if got := strings.Count(text.String(), "policy=three error=\"keyfuncs: no key\""); got != 3 {
			t.Errorf("%d lines, want 3:\n%s", got, text)
		}
	})
}
