package core_test

import (
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

func TestRaisedLimitAdmitsAtOnce(t *testing.T) {
	eachVariant(t, func(t *testing.T, s *coretest.Server, apply func(core.Policy) core.Policy) {
		slow, fast := apply(core.PerHour("plan", 10)), apply(core.PerSecond("plan", 1000))
		c, key := newClock(), someone()
		c.startWindow(time.Hour)
		l := limiter(t, s, c.option())
		for i := range 12 {
			if got := allow(t, l, slow, key, 1).Allowed; got != (i < 10) {
				t.Fatalf("10 per hour: call %d allowed %v", i+1, got)
			}
		}
		if d := allow(t, l, fast, key, 1); !d.Allowed {
			t.Errorf("1000 per second after 10 per hour: %s; want it admitted at once", show(d))
		}
	})
}

func TestLoweredLimitShowsNothingNegative(t *testing.T) {
	eachVariant(t, func(t *testing.T, s *coretest.Server, apply func(core.Policy) core.Policy) {
		wide, narrow := apply(core.PerMinute("plan", 1000)), apply(core.PerMinute("plan", 10))
		c, key := newClock(), someone()
		l := limiter(t, s, c.option())
		allow(t, l, wide, key, 600)
		waited := time.Duration(0)
		for d := allow(t, l, narrow, key, 1); !d.Allowed; d = allow(t, l, narrow, key, 1) {
			if d.Remaining != 0 || d.RetryAfter <= 0 {
				t.Fatalf("%s; want 0 left and a time to wait", show(d))
			}
			c.advance(d.RetryAfter)
			waited += d.RetryAfter
		}
		if waited > 2*time.Minute {
			t.Errorf("waited %v for the first unit of 10 per minute; want no more than a refill", waited)
		}
	})
}
