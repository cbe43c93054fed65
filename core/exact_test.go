package core_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

const clients = 10

// callers is how many ask at once: 2,000 is the claim about real servers.
func callers(s *coretest.Server) int {
	if s.Kind == coretest.Mini {
		return 400
	}
	return 2000
}

// crowd has all callers, through 10 clients of their own, ask at once, and
// returns how many were admitted.
func crowd(t *testing.T, s *coretest.Server, ask func(l *core.Limiter) (bool, error)) int64 {
	t.Helper()
	limiters := make([]*core.Limiter, clients)
	for i := range limiters {
		limiters[i] = newLimiter(t, s.Client(t), core.Timeout(time.Minute))
	}
	var admitted atomic.Int64
	var everyone sync.WaitGroup
	start := make(chan struct{})
	for i := range callers(s) {
		everyone.Go(func() {
			<-start
			ok, err := ask(limiters[i%clients])
			if err != nil {
				t.Error(err)
			}
			if ok {
				admitted.Add(1)
			}
		})
	}
	close(start)
	everyone.Wait()
	return admitted.Load()
}

// long is a window in which nothing comes back while a test runs: it neither
// ends nor refills by a whole unit.
const long = 366 * 24 * time.Hour

// 2,000 concurrent calls on a limit of 100 admit exactly 100.
func TestExactUnderConcurrency(t *testing.T) {
	eachVariant(t, func(t *testing.T, s *coretest.Server, apply func(core.Policy) core.Policy) {
		p, key := apply(core.Policy{Name: "exact", Limit: 100, Window: long}), someone()
		if got := crowd(t, s, func(l *core.Limiter) (bool, error) {
			d, err := l.Allow(t.Context(), p, key)
			return d.Allowed, err
		}); got != 100 {
			t.Errorf("cost 1: admitted %d; want 100", got)
		}
		key = someone()
		if got := crowd(t, s, func(l *core.Limiter) (bool, error) {
			d, err := l.AllowN(t.Context(), p, key, 3)
			return d.Allowed, err
		}); got != 33 {
			t.Errorf("cost 3: admitted %d; want 33", got)
		}
	})
}

// Three limits on one identity admit what the narrowest allows, and the others
// are not charged for more.
func TestExactTogether(t *testing.T) {
	eachVariant(t, func(t *testing.T, s *coretest.Server, apply func(core.Policy) core.Policy) {
		key := someone()
		var charges []core.Charge
		for name, limit := range map[string]int64{"wide": 100, "middle": 60, "narrow": 40} {
			charges = append(charges, core.Charge{Policy: apply(core.Policy{Name: name, Limit: limit, Window: long}), Key: key, Cost: 1})
		}
		if got := crowd(t, s, func(l *core.Limiter) (bool, error) {
			ds, err := l.AllowAll(t.Context(), charges...)
			return core.Allowed(ds), err
		}); got != 40 {
			t.Errorf("admitted %d; want 40", got)
		}
		l := limiter(t, s)
		for _, c := range charges {
			if left := allow(t, l, c.Policy, key, 0).Remaining; left != c.Policy.Limit-40 {
				t.Errorf("%s has %d left; want %d", c.Policy.Name, left, c.Policy.Limit-40)
			}
		}
	})
}
