package coretest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

// What never admitting too much costs an honest client: under arrivals at
// random, 5 % more than the limit, sub-windows admit nearly what the exact log
// does. The adaptive form needs fewer of them for that than 60 equal ones.
func TestThePriceOfSubWindows(t *testing.T) {
	for _, limit := range []int64{10, 30, 100, 300} {
		equal := price(core.PerMinute("equal", limit))
		adaptive := price(core.Policy{Name: "adaptive", Algorithm: core.AdaptiveWindow, Limit: limit, Window: time.Minute})
		t.Logf("limit %d: 60 equal: %.4f of the exact log, %.1f live; adaptive: %.4f, %.1f live",
			limit, equal.share, equal.live, adaptive.share, adaptive.live)
		for name, got := range map[string]priced{"equal": equal, "adaptive": adaptive} {
			if got.share < 0.985 || got.share > 1.001 {
				t.Errorf("limit %d, %s: admitted %.4f of what the exact log did; want at least 0.985", limit, name, got.share)
			}
		}
		if adaptive.live >= equal.live {
			t.Errorf("limit %d: %.1f live sub-windows, adaptive; want fewer than %.1f", limit, adaptive.live, equal.live)
		}
	}
}

// priced is what a policy admitted as a share of what the exact log did, and
// how many sub-windows held units on average.
type priced struct{ share, live float64 }

func price(p core.Policy) priced {
	const windows = 300
	rnd := rand.New(rand.NewPCG(1, 2))
	state, exact := newCounter(p.Algorithm).clone(), newCounter(core.SlidingLog)
	begin := float64(1 << 50)
	var admitted, wanted, live, calls float64
	for at := begin; at < begin+windows*float64(window(p)); calls++ {
		at += rnd.ExpFloat64() * float64(window(p)) / float64(p.Limit) / 1.05
		admitted += spendOne(state, p, int64(at))
		wanted += spendOne(exact, p, int64(at))
		live += float64(parts(state, p, int64(at)))
	}
	return priced{admitted / wanted, live / calls}
}

func spendOne(s counter, p core.Policy, now int64) float64 {
	s.settle(p, now)
	if s.room(p, now) < 1 {
		return 0
	}
	s.spend(p, now, 1)
	return 1
}

// parts counts the sub-windows that count at an instant.
func parts(s counter, p core.Policy, at int64) (live int) {
	switch s := s.(type) {
	case *slidingWindow:
		for start := range s.counts {
			if s.alive(start, at) {
				live++
			}
		}
	case *adaptiveWindow:
		for _, g := range s.groups {
			if g.last+window(p) > at {
				live++
			}
		}
	}
	return live
}
