package core_test

import (
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// A rate drifts by nothing: 10^6 units, each cost taken as soon as it fits,
// take exactly the time that the rate says, rounded up once and not thousands
// of times. Costs stay below the burst, so that the bucket is never idle.
func TestRateDoesNotDrift(t *testing.T) {
	const units, burst = 1_000_000, 1000
	for _, rate := range []struct {
		name   string
		limit  int64
		window time.Duration
	}{
		{"7 per minute", 7, time.Minute},
		{"700000 per second", 700_000, time.Second},
		{"999983 per day", 999_983, 24 * time.Hour},
	} {
		for _, a := range []core.Algorithm{core.TokenBucket, core.LeakyBucket, core.GCRA} {
			t.Run(rate.name+"/"+a.String(), func(t *testing.T) {
				coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
					t.Parallel()
					p := core.Policy{Name: "rate", Algorithm: a, Limit: rate.limit, Window: rate.window, Burst: burst}
					took := exhaust(t, s, p, units)
					if want := ceilDiv((units-burst)*rate.window.Microseconds(), rate.limit); took != want {
						t.Errorf("%d units took %d µs; want %d, so the drift is %d µs", units, took, want, took-want)
					}
				})
			})
		}
	}
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// exhaust spends p's burst, then units more as early as p lets it, and returns
// the virtual µs that passed.
func exhaust(t *testing.T, s *coretest.Server, p core.Policy, units int64) int64 {
	c, key := newClock(), someone()
	l, start := limiter(t, s, c.option()), c.now.Load()
	allow(t, l, p, key, p.Burst)
	for left := units - p.Burst; left > 0; {
		cost := min(left, 1+left%977)
		d := allow(t, l, p, key, cost)
		if d.Allowed {
			left -= cost
			continue
		}
		c.advance(d.RetryAfter - time.Microsecond)
		if allow(t, l, p, key, cost).Allowed {
			t.Fatalf("cost %d was admitted 1 µs before its RetryAfter %v", cost, d.RetryAfter)
		}
		c.advance(time.Microsecond)
	}
	return c.now.Load() - start
}
