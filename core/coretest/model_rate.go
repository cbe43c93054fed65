package coretest

import (
	"math/big"

	"github.com/slidegate/slidegate/core"
)

// pace is a rate in lowest terms: den units every period µs. One unit takes
// T = period/den µs. Counting in ticks, den of them a µs, T is period ticks and
// every instant below is a whole number.
type pace struct{ period, den int64 }

func paceOf(p core.Policy) pace {
	common := new(big.Int).GCD(nil, nil, big.NewInt(window(p)), big.NewInt(p.Limit)).Int64()
	return pace{window(p) / common, p.Limit / common}
}

// instant is µs + part/den of a µs.
type instant struct{ us, part int64 }

func (r pace) ticks(i instant) *big.Int {
	t := new(big.Int).Mul(big.NewInt(i.us), big.NewInt(r.den))
	return t.Add(t, big.NewInt(i.part))
}

func (r pace) instant(ticks *big.Int) instant {
	us, part := new(big.Int).DivMod(ticks, big.NewInt(r.den), new(big.Int))
	return instant{us.Int64(), part.Int64()}
}

// take is how long n units take, in ticks.
func (r pace) take(n int64) *big.Int {
	return new(big.Int).Mul(big.NewInt(n), big.NewInt(r.period))
}

// whole is how many units' time fits in ticks, at most limit.
func (r pace) whole(ticks *big.Int, limit int64) int64 {
	n := new(big.Int).Div(ticks, big.NewInt(r.period))
	if n.Cmp(big.NewInt(limit)) > 0 {
		return limit
	}
	return n.Int64()
}

// started is whole rounded up: how many units' time has begun in ticks.
func (r pace) started(ticks *big.Int, limit int64) int64 {
	n := new(big.Int).Add(ticks, big.NewInt(r.period-1))
	return r.whole(n, limit)
}

// bucket holds units that leave one by one, every T. level is whole, because
// since is the instant when the last one left. For LeakyBucket the units are
// its level; for TokenBucket they are the tokens that are missing.
type bucket struct {
	level int64
	since instant
}

func (s *bucket) settle(_ core.Policy, now int64) bool {
	if s.since.us < now || s.since == (instant{now, 0}) {
		return false
	}
	s.since = instant{now, 0}
	return true
}

// drained returns the level at an instant, and when it came to be that.
func (s *bucket) drained(p core.Policy, at int64) (int64, instant) {
	r := paceOf(p)
	level := min(s.level, p.Capacity())
	since := r.ticks(instant{s.since.us, min(s.since.part, r.den-1)})
	passed := new(big.Int).Sub(r.ticks(instant{at, 0}), since)
	left := r.whole(passed, level)
	if left == level {
		return 0, instant{at, 0}
	}
	return level - left, r.instant(since.Add(since, r.take(left)))
}

func (s *bucket) room(p core.Policy, at int64) int64 {
	level, _ := s.drained(p, at)
	return p.Capacity() - level
}

func (s *bucket) spend(p core.Policy, now, n int64) {
	level, since := s.drained(p, now)
	s.level, s.since = level+n, since
}

func (s *bucket) clone() counter { c := *s; return &c }

// gcra keeps the theoretical arrival time: the instant at which the key will
// owe nothing, and the pace it was counted with.
type gcra struct {
	tat  instant
	pace pace
}

// debt is what the key owes at an instant, in ticks of its own pace.
func (s *gcra) debt(at int64) *big.Int {
	owed := s.pace.ticks(s.tat)
	owed.Sub(owed, s.pace.ticks(instant{at, 0}))
	if owed.Sign() < 0 {
		return new(big.Int)
	}
	return owed
}

// settle counts a debt of another pace in units, each begun one whole (one that
// is paid stays as it is, until somebody spends), and cuts one that p cannot
// have made, which came from a clock since stepped back
// or from a larger burst.
func (s *gcra) settle(p core.Policy, now int64) bool {
	r, capacity := paceOf(p), p.Capacity()
	if s.pace == (pace{}) {
		s.pace = r
	}
	owed, stale := s.debt(now), false
	if s.pace != r && s.tat.us >= now {
		owed, stale = r.take(s.pace.started(owed, capacity)), true
	}
	if most := r.take(capacity); owed.Cmp(most) > 0 {
		owed, stale = most, true
	}
	if stale {
		s.owe(r, now, owed)
	}
	return stale
}

func (s *gcra) owe(r pace, now int64, owed *big.Int) {
	s.pace = r
	s.tat = r.instant(owed.Add(owed, r.ticks(instant{now, 0})))
}

func (s *gcra) room(p core.Policy, at int64) int64 {
	return p.Capacity() - s.pace.started(s.debt(at), p.Capacity())
}

func (s *gcra) spend(p core.Policy, now, n int64) {
	owed, r := s.debt(now), paceOf(p)
	s.owe(r, now, owed.Add(owed, r.take(n)))
}

func (s *gcra) clone() counter { c := *s; return &c }
