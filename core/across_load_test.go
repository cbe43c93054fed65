package core_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

// crossings is how many decisions over two and three identities are made:
// 5,000, or what SLIDEGATE_CROSSINGS says.
func crossings(t *testing.T) int {
	text := os.Getenv("SLIDEGATE_CROSSINGS")
	if text == "" {
		return 5_000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("SLIDEGATE_CROSSINGS is %q; want a number", text)
	}
	return n
}

// Many callers want the last units of the same few keys on three nodes, and one
// reply in a hundred is lost. No key ever admits more than its limit, and what
// Redis has counted beyond what was admitted is no more than the charges and
// give-backs whose fate is unknown.
func TestRushAcrossNodes(t *testing.T) {
	c := newCrossing(t)
	r := &rush{limiter: newLimiter(t, c.rdb, core.Timeout(300*time.Millisecond)), window: long}
	c.disturb(true)
	n := crossings(t)
	r.run(n)
	c.disturb(false)
	returned, held := r.limiter.GiveBacks()
	admitted, counted := r.check(t, c.truth)
	t.Logf("%d decisions: %d admitted, %d denied, %d unknown, %d without a look; %d give-backs, %d in vain; %d units admitted, %d counted by Redis",
		n, r.admitted.Load(), r.denied.Load(), r.unknown.Load(), r.unlooked.Load(), returned, held, admitted, counted)
	if most := dearest * (r.unknown.Load() + held); counted-admitted > most {
		t.Errorf("%d units are held for nobody; want at most %d, for %d unknown outcomes and %d lost give-backs",
			counted-admitted, most, r.unknown.Load(), held)
	}
	if r.other.Load() != 0 {
		t.Errorf("%d decisions failed in another way", r.other.Load())
	}
	if r.admitted.Load() == 0 || r.denied.Load() == 0 || r.unknown.Load() == 0 || returned == 0 {
		t.Error("the rush was too tame to show anything")
	}
}

// What is held for nobody leaves within a window.
func TestRushLeavesNothingBehind(t *testing.T) {
	c := newCrossing(t)
	r := &rush{limiter: newLimiter(t, c.rdb, core.Timeout(300*time.Millisecond)), window: 2 * time.Second}
	c.disturb(true)
	r.run(1_000)
	c.disturb(false)
	r.limiter.Close() // from here on nobody is charged
	for i := range r.keys {
		p, who := r.policy(i), r.keys[i].who
		if d := allow(t, c.truth, p, who, 0); d.ResetAfter > p.Window {
			t.Errorf("%v: whole again after %v; want at most %v", p.Algorithm, d.ResetAfter, p.Window)
		}
	}
	if r.unknown.Load() == 0 {
		t.Error("no answer was lost: the rush was too tame to show anything")
	}
	for i := range r.keys {
		await(t, "what is held to leave", func() bool {
			return allow(t, c.truth, r.policy(i), r.keys[i].who, 0).Remaining == room
		})
	}
}

func (c *crossing) disturb(on bool) {
	for _, proxy := range c.Proxies {
		proxy.SetFault(nil)
		if on {
			proxy.SetFault(breakOneIn100)
		}
	}
}

const (
	room    = 30 // of each key
	dearest = 2  // the cost of one charge, at most
	nearby  = 6  // keys that are wanted at a time
	patient = 16 // callers
)

// rush wants few keys at a time, and moves on to others when these are spent.
type rush struct {
	limiter *core.Limiter
	window  time.Duration
	keys    []wanted

	admitted, denied, unknown, unlooked, other atomic.Int64
}

type wanted struct {
	who      string
	admitted atomic.Int64
}

func (r *rush) policy(key int) core.Policy {
	p := core.Policy{Name: "rush", Algorithm: core.SlidingLog, Limit: room, Window: r.window}
	if key%2 == 1 {
		p.Algorithm = core.FixedWindow
	}
	return p
}

// run makes n decisions. Six keys hold units for some 50 of them; after 100 the
// callers move on.
func (r *rush) run(n int) {
	const stay = 100
	r.keys = make([]wanted, nearby*(n/stay+1))
	for i := range r.keys {
		r.keys[i].who = someone()
	}
	var next atomic.Int64
	var callers sync.WaitGroup
	for range patient {
		callers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				r.ask(i / stay * nearby)
			}
		})
	}
	callers.Wait()
}

// ask wants two or three of the keys that begin at first, in any order.
func (r *rush) ask(first int) {
	keys := rand.Perm(nearby)[:2+rand.IntN(2)]
	charges := make([]core.Charge, len(keys))
	for i := range keys {
		keys[i] += first
		charges[i] = core.Charge{Policy: r.policy(keys[i]), Key: r.keys[keys[i]].who, Cost: 1 + rand.Int64N(dearest)}
	}
	ds, err := r.limiter.AllowAll(context.Background(), charges...)
	switch {
	case errors.Is(err, core.ErrUnknownOutcome):
		r.unknown.Add(1)
	case errors.Is(err, core.ErrNotExecuted):
		r.unlooked.Add(1)
	case err != nil:
		r.other.Add(1)
	case !core.Allowed(ds):
		r.denied.Add(1)
	default:
		r.admitted.Add(1)
		for i, key := range keys {
			r.keys[key].admitted.Add(charges[i].Cost)
		}
	}
}

// check compares what callers were told with what Redis has, key by key.
func (r *rush) check(t *testing.T, truth *core.Limiter) (admitted, counted int64) {
	for i := range r.keys {
		told := r.keys[i].admitted.Load()
		has := room - allow(t, truth, r.policy(i), r.keys[i].who, 0).Remaining
		if told > room || told > has {
			t.Errorf("key %d: %d units admitted, %d counted; the limit is %d", i, told, has, room)
		}
		admitted, counted = admitted+told, counted+has
	}
	return admitted, counted
}
