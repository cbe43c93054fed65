package coretest

import (
	"math/big"

	"github.com/slidegate/slidegate/core"
)

// refunder is a counter that can take back n units that were spent at an
// instant, as long as that is not after now. It then has never more room than
// if they had not been spent. What a counter cannot take back leaves by itself.
type refunder interface {
	refund(p core.Policy, at, now, n int64)
}

// Refund takes back, at now, the cost of c that was charged at an earlier
// instant, and returns what is then true, as a look. A state from a later clock
// or another policy is left as it is.
func (m *Model) Refund(now, at int64, c core.Charge) core.Decision {
	s := m.state(c).clone()
	stale := s.settle(c.Policy, now)
	if r, ok := s.(refunder); ok && !stale && at <= now {
		r.refund(c.Policy, at, now, c.Cost)
		m.states[keyOf(c)] = s
	}
	return describe(s, c, now, 0)
}

func (s *fixedWindow) refund(p core.Policy, at, now, n int64) {
	if current := now - now%window(p); s.start == current && at >= current {
		s.count = max(0, s.count-n)
	}
}

func (s *slidingLog) refund(_ core.Policy, at, _, n int64) {
	var kept []int64
	for _, unit := range s.units {
		if unit == at && n > 0 {
			n--
			continue
		}
		kept = append(kept, unit)
	}
	s.units = kept
}

func (s *slidingWindow) refund(_ core.Policy, at, now, n int64) {
	start := at - at%s.width
	if !s.alive(start, now) {
		return
	}
	if s.counts[start] -= n; s.counts[start] <= 0 {
		delete(s.counts, start)
	}
}

// returned is what n units give back after some time, in ticks: without them
// the key might have been idle since, and nothing have left.
func (r pace) returned(n, after int64) *big.Int {
	back := r.take(n)
	back.Sub(back, r.ticks(instant{after, 0}))
	if back.Sign() < 0 {
		return new(big.Int)
	}
	return back
}

func (s *bucket) refund(p core.Policy, at, now, n int64) {
	r := paceOf(p)
	back := r.returned(n, now-at)
	if back.Sign() == 0 {
		return
	}
	level, since := s.drained(p, now)
	passed := new(big.Int).Sub(r.ticks(instant{now, 0}), r.ticks(since))
	inside := r.take(level)
	inside.Sub(inside, passed).Sub(inside, back)
	if inside.Sign() <= 0 {
		s.level, s.since = 0, instant{now, 0}
		return
	}
	s.level = r.started(inside, p.Capacity())
	begun := r.take(s.level)
	begun.Sub(begun, inside)
	s.since = r.instant(begun.Sub(r.ticks(instant{now, 0}), begun))
}

func (s *gcra) refund(p core.Policy, at, now, n int64) {
	back := s.pace.returned(n, now-at)
	if back.Sign() == 0 {
		return
	}
	owed := s.debt(now)
	if owed.Sub(owed, back); owed.Sign() <= 0 {
		*s = gcra{}
		s.settle(p, now)
		return
	}
	s.owe(s.pace, now, owed)
}
