package core_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// What is given back agrees with the model on every number, and never makes
// more room than a key has that was not charged in the first place.
func TestGivingBackAgreesWithTheModel(t *testing.T) {
	eachVariant(t, func(t *testing.T, s *coretest.Server, apply func(core.Policy) core.Policy) {
		steps, each, wanted := 0, 40, 2_000
		if s.Kind == coretest.Mini {
			each, wanted = 10, 500 // the claim is about real servers
		}
		c := newClock()
		l := limiter(t, s, c.option())
		rapid.Check(t, func(rt *rapid.T) {
			w := newTwins(rt, l, c, apply)
			// Keys expire by the server's own clock, the first a second from now.
			for begun := time.Now(); w.steps < each && time.Since(begun) < time.Second/2; {
				w.step(rt)
			}
			steps += w.steps
		})
		t.Logf("%d steps, 0 disagreements", steps)
		if steps < wanted {
			t.Errorf("%d steps; the claim needs %d", steps, wanted)
		}
	})
}

// twins are two keys with the same customers. One is also charged for others,
// who give back what they were charged, sooner or later. In unsteady times the
// clock steps back, the limit changes and keys are reset; then only the model
// is compared.
type twins struct {
	limiter  *core.Limiter
	clock    *clock
	model    coretest.Model
	policy   core.Policy
	charged  string
	spared   string
	owed     []loan
	unsteady bool
	steps    int
}

type loan struct{ cost, at int64 }

func newTwins(rt *rapid.T, l *core.Limiter, c *clock, apply func(core.Policy) core.Policy) *twins {
	w := &twins{limiter: l, clock: c, charged: someone(), spared: someone()}
	w.policy = (&world{apply: apply}).drawPolicy(rt)
	w.unsteady = rapid.IntRange(0, 3).Draw(rt, "unsteady") == 0
	c.startWindow(time.Hour)
	return w
}

func (w *twins) step(rt *rapid.T) {
	w.steps++
	switch rapid.IntRange(0, 9).Draw(rt, "action") {
	case 0, 1:
		upTo := rapid.SampledFrom([]time.Duration{3 * time.Microsecond, w.policy.Window / time.Duration(w.policy.Limit), w.policy.Window / 3, w.policy.Window + 2}).Draw(rt, "up to")
		w.clock.advance(time.Duration(rapid.Int64Range(0, int64(upTo)).Draw(rt, "pause")))
	case 2, 3, 4:
		w.borrow(rt)
	case 5, 6, 7:
		if len(w.owed) > 0 {
			w.giveBack(rt)
		}
	case 8:
		if w.unsteady {
			w.disturb(rt)
		}
	default:
		cost := rapid.Int64Range(1, min(w.policy.Capacity(), 4)).Draw(rt, "cost")
		if w.ask(rt, w.charged, cost).Allowed && !w.ask(rt, w.spared, cost).Allowed && !w.unsteady {
			rt.Fatalf("%d units fit where others had been charged, and not where they had not", cost)
		}
	}
	lent, whole := w.ask(rt, w.charged, 0), w.ask(rt, w.spared, 0)
	if w.unsteady {
		return
	}
	if lent.Remaining > whole.Remaining || lent.ResetAfter < whole.ResetAfter {
		rt.Fatalf("%+v: charged and given back %+v\nhas more room than never charged %+v", w.policy, lent, whole)
	}
}

func (w *twins) disturb(rt *rapid.T) {
	switch rapid.IntRange(0, 2).Draw(rt, "disturbance") {
	case 0:
		back := rapid.Int64Range(0, w.policy.Window.Microseconds()/2).Draw(rt, "back")
		w.clock.advance(-time.Duration(back) * time.Microsecond)
	case 1:
		changed := w.policy
		if changed.Limit = rapid.Int64Range(1, 12).Draw(rt, "limit"); changed.Validate() == nil {
			w.policy = changed
		}
	case 2:
		if err := w.limiter.Reset(context.Background(), w.policy, w.charged); err != nil {
			rt.Fatal(err)
		}
		w.model.Forget(w.policy, w.charged)
	}
}

func (w *twins) ask(rt *rapid.T, key string, cost int64) core.Decision {
	got, err := w.limiter.AllowN(context.Background(), w.policy, key, cost)
	w.compare(rt, []core.Decision{got}, w.model.Decide(w.clock.now.Load(), core.Charge{Policy: w.policy, Key: key, Cost: cost})[0], err)
	return got
}

func (w *twins) borrow(rt *rapid.T) {
	c := core.Charge{Policy: w.policy, Key: w.charged, Cost: rapid.Int64Range(1, min(w.policy.Capacity(), 4)).Draw(rt, "lent")}
	got, at, err := w.limiter.ChargeAt(context.Background(), c)
	w.compare(rt, got, w.model.Decide(w.clock.now.Load(), c)[0], err)
	if at != w.clock.now.Load() {
		rt.Fatalf("charged at %d; want %d", at, w.clock.now.Load())
	}
	if got[0].Allowed {
		w.owed = append(w.owed, loan{c.Cost, at})
	}
}

func (w *twins) giveBack(rt *rapid.T) {
	i := rapid.IntRange(0, len(w.owed)-1).Draw(rt, "which")
	loan := w.owed[i]
	w.owed = append(w.owed[:i:i], w.owed[i+1:]...)
	c := core.Charge{Policy: w.policy, Key: w.charged, Cost: loan.cost}
	got, err := w.limiter.GiveBack(context.Background(), loan.at, c)
	w.compare(rt, got, w.model.Refund(w.clock.now.Load(), loan.at, c), err)
}

func (w *twins) compare(rt *rapid.T, got []core.Decision, want core.Decision, err error) {
	if err != nil {
		rt.Fatal(err)
	}
	if got[0] != want {
		rt.Fatalf("%+v at %d\n got %+v\nwant %+v", w.policy, w.clock.now.Load(), got[0], want)
	}
}
