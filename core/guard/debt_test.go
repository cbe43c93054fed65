package guard_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/keyfuncs"
)

var failures = guard.CountOnly(func(status int) bool { return status >= 400 })

// answering runs a request through g whose handler answers status.
func answering(g *guard.Gate, status int) string {
	v := g.Judge(request{})
	if v.Refused() {
		return fmt.Sprint("refused ", v.Status)
	}
	v.Serve(func() int { return status })
	return fmt.Sprint("served ", status)
}

func TestCountOnly(t *testing.T) {
	e := newEngine()
	g := guard.New("test", e, core.PerMinute("login", 2), one, failures)
	for i, step := range []struct {
		status int
		want   string
		spent  int64
	}{
		{200, "served 200", 0}, {401, "served 401", 1}, {200, "served 200", 1}, {401, "served 401", 2},
		{200, "refused 429", 2}, {401, "refused 429", 2},
	} {
		if got := answering(g, step.status); got != step.want || e.spent["login one"] != step.spent {
			t.Errorf("step %d: got %s, spent %d; want %s, %d", i, got, e.spent["login one"], step.want, step.spent)
		}
	}
}

// A refusal by a look says when the cost would fit, not that nothing costs
// nothing.
func TestCountOnlyRefusal(t *testing.T) {
	rows := []struct {
		cost, spent int64
		want        string
	}{{1, 10, "5"}, {2, 9, "5"}, {3, 9, "9"}, {11, 0, ""}}
	for _, row := range rows {
		e := newEngine()
		e.spent["login one"] = row.spent
		cost := guard.Cost(func(keyfuncs.Request) int64 { return row.cost })
		v := guard.New("test", e, core.PerMinute("login", 10), one, failures, cost).Judge(request{})
		if got := sent(&v, nil)["Retry-After"]; v.Status != 429 || got != row.want {
			t.Errorf("cost %d, spent %d: got %d, Retry-After %q, want %q", row.cost, row.spent, v.Status, got, row.want)
		}
	}
}

func TestCountOnlyPanic(t *testing.T) {
	e := newEngine()
	g := guard.New("test", e, core.PerMinute("login", 2), one, failures)
	func() {
		defer func() {
			if got := recover(); got != "boom" {
				t.Errorf("recovered %v", got)
			}
		}()
		v := g.Judge(request{})
		v.Serve(func() int { panic("boom") })
	}()
	if e.spent["login one"] != 1 {
		t.Errorf("spent %d, want 1", e.spent["login one"])
	}
}

// What is charged after the handler is charged though the client has gone, and
// though another limit has meanwhile run out.
func TestCountOnlyLosesNothing(t *testing.T) {
	ctx, hangUp := context.WithCancel(t.Context())
	e := newEngine()
	g := guard.New("test", e, core.PerMinute("login", 2), one, failures, guard.And(core.PerDay("day", 9), one))
	v := g.Judge(request{ctx: ctx})
	v.Serve(func() int {
		hangUp()
		e.spent["login one"] = 2
		return 401
	})
	if want := map[string]int64{"login one": 2, "day one": 1}; !maps.Equal(e.spent, want) || e.ctx.Err() != nil {
		t.Errorf("spent %v, want %v; context: %v", e.spent, want, e.ctx.Err())
	}
}

func TestCountOnlyInADryRun(t *testing.T) {
	e := newEngine()
	g := guard.New("test", e, core.PerMinute("login", 1), one, failures, guard.DryRun())
	for range 3 {
		if got := answering(g, 401); got != "served 401" {
			t.Error(got)
		}
	}
	if e.spent["login one"] != 1 {
		t.Errorf("spent %d, want 1", e.spent["login one"])
	}
}
