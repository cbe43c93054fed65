package guard_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/keyfuncs"
)

// engine is a stub: a purse for each policy name and key, which answers as
// told while it is down.
type engine struct {
	mu    sync.Mutex
	spent map[string]int64
	err   error
	down  func(core.Policy) core.Decision
	ctx   context.Context // of the last call
	calls int
}

func newEngine() *engine { return &engine{spent: map[string]int64{}} }

func (e *engine) AllowN(ctx context.Context, p core.Policy, key string, cost int64) (core.Decision, error) {
	ds, err := e.AllowAll(ctx, core.Charge{Policy: p, Key: key, Cost: cost})
	return ds[0], err
}

func (e *engine) AllowAll(ctx context.Context, charges ...core.Charge) ([]core.Decision, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ctx = ctx
	e.calls++
	ds := make([]core.Decision, len(charges))
	for i, c := range charges {
		ds[i] = e.look(c)
	}
	if e.err != nil {
		return ds, e.err
	}
	if core.Allowed(ds) {
		for i, c := range charges {
			e.spent[c.Policy.Name+" "+c.Key] += c.Cost
			ds[i].Remaining -= c.Cost
		}
	}
	return ds, nil
}

func (e *engine) look(c core.Charge) core.Decision {
	d := core.Decision{Policy: c.Policy, Cost: c.Cost}
	if e.down != nil {
		d = e.down(c.Policy)
	}
	if e.err != nil {
		return d
	}
	d.Remaining = c.Policy.Limit - e.spent[c.Policy.Name+" "+c.Key]
	d.Allowed = c.Cost <= d.Remaining
	d.NextAfter, d.ResetAfter = 5*time.Second, 9*time.Second
	switch {
	case c.Cost > c.Policy.Limit:
		d.RetryAfter = core.Never
	case !d.Allowed:
		d.RetryAfter = 7 * time.Second
	}
	return d
}

// request is a request written down.
type request struct {
	method string
	accept []string
	ctx    context.Context
}

func (r request) Context() context.Context {
	if r.ctx == nil {
		return context.Background()
	}
	return r.ctx
}
func (r request) RemoteAddr() string { return "203.0.113.7:4711" }
func (r request) Method() string     { return r.method }
func (r request) Path() string       { return "/" }
func (r request) Route() string      { return "" }
func (r request) Value(any) any      { return nil }
func (r request) HeaderValues(name string) []string {
	if name == "Accept" {
		return r.accept
	}
	return nil
}

// sent are the fields that v sets on a response which has those of had.
func sent(v *guard.Verdict, had map[string]string) map[string]string {
	header := map[string]string{}
	for name, value := range had {
		header[name] = value
	}
	v.Apply(func(name string) string { return header[name] }, func(name, value string) { header[name] = value })
	return header
}

// wantPanic fails unless mount panics with a text that starts with prefix.
func wantPanic(t *testing.T, prefix string, mount func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if text, _ := recover().(string); !strings.HasPrefix(text, prefix) {
			t.Errorf("panic %q, want one that starts with %q", text, prefix)
		}
	}()
	mount()
}

var one = keyfuncs.Fixed("one")
