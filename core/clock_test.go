package core_test

import (
	"context"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// A clock that steps back an hour locks nobody out for longer than one full
// refill, and gives nobody more than one burst.
func TestClockStepsBackAnHour(t *testing.T) {
	eachVariant(t, func(t *testing.T, s *coretest.Server, apply func(core.Policy) core.Policy) {
		p, key, c := apply(core.PerMinute("back", 30)), someone(), newClock()
		l := limiter(t, s, c.option())
		for range 30 {
			allow(t, l, p, key, 1)
			c.advance(10 * time.Millisecond)
		}
		c.advance(-time.Hour)
		admitted, waited := int64(0), time.Duration(0)
		for admitted < 30 {
			d := allow(t, l, p, key, 1)
			if d.Allowed {
				admitted++
				continue
			}
			if waited == 0 && d.RetryAfter > 2*p.Window {
				t.Fatalf("after the step: RetryAfter %v; want at most a window and a sub-window", d.RetryAfter)
			}
			c.advance(d.RetryAfter)
			waited += d.RetryAfter
		}
		// One refill at most, and one at least unless a burst was given away.
		if waited > 2*p.Window {
			t.Errorf("30 units took %v after the step; want one full refill", waited)
		}
	})
}

// A clock that swings back and forth gives no more than one that stands still.
func TestClockThatSwings(t *testing.T) {
	eachVariant(t, func(t *testing.T, s *coretest.Server, apply func(core.Policy) core.Policy) {
		p, key, c := apply(core.PerHour("swing", 10)), someone(), newClock()
		l := limiter(t, s, c.option())
		c.startWindow(time.Hour)
		c.advance(30 * time.Minute)
		admitted := 0
		for i := range 200 {
			c.advance([]time.Duration{3 * time.Millisecond, -3 * time.Millisecond}[i%2])
			if allow(t, l, p, key, 1).Allowed {
				admitted++
			}
		}
		if admitted != 10 {
			t.Errorf("admitted %d of 200 around one instant; want 10", admitted)
		}
	})
}

// The answer of a look after the clock stepped back holds as well, though a
// look writes nothing.
func TestPeekAfterTheClockSteppedBack(t *testing.T) {
	eachVariant(t, func(t *testing.T, s *coretest.Server, apply func(core.Policy) core.Policy) {
		p, key, c := apply(core.PerMinute("look", 10)), someone(), newClock()
		l := limiter(t, s, c.option())
		allow(t, l, p, key, 10)
		c.advance(-time.Hour)
		for range 3 {
			d, err := l.Peek(context.Background(), p, key)
			if err != nil || d.Remaining != 0 || d.ResetAfter > 2*p.Window {
				t.Fatalf("%+v, %v; want nothing left, and all of it back within a refill", d, err)
			}
		}
	})
}
