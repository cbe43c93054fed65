package coretest

import (
	"time"

	"github.com/slidegate/slidegate/core"
)

// Model is the specification: what a Limiter with its own Redis answers,
// stated as plainly as possible. It is slow on purpose. Each algorithm says
// only how much room there is at an instant and what spending changes; every
// duration follows from that by search, so no formula of the scripts is
// repeated here. Not safe for concurrent use; the zero value is empty.
type Model struct {
	states map[stateKey]counter
}

type stateKey struct {
	key, policy string
	algorithm   core.Algorithm
}

// counter is the state of one key under one algorithm. Instants are µs.
type counter interface {
	// settle brings state to now and p where a clock has stepped back or p
	// has another shape, and reports whether there was anything to bring.
	settle(p core.Policy, now int64) bool
	// room is how many units fit at an instant not before the settled one, if
	// nothing is spent until then.
	room(p core.Policy, at int64) int64
	// spend charges n units now; they are known to fit.
	spend(p core.Policy, now, n int64)
	clone() counter
}

func newCounter(a core.Algorithm) counter {
	switch a {
	case core.FixedWindow:
		return &fixedWindow{}
	case core.SlidingLog, core.CompactLog:
		return &slidingLog{}
	case core.SlidingWindow:
		return &slidingWindow{}
	case core.TokenBucket, core.LeakyBucket:
		return &bucket{}
	case core.GCRA:
		return &gcra{}
	case core.AdaptiveWindow:
		return &adaptiveWindow{}
	case core.LayeredWindow:
		return &layeredWindow{}
	}
	panic("coretest: no model of " + a.String())
}

// Decide judges charges at now (µs), all or nothing, as Limiter.AllowAll does.
func (m *Model) Decide(now int64, charges ...core.Charge) []core.Decision {
	counters := make([]counter, len(charges))
	writes, fits := false, true
	for i, c := range charges {
		counters[i] = m.state(c).clone()
		writes = writes || c.Cost > 0
		if counters[i].settle(c.Policy, now) {
			counters[i].spend(c.Policy, now, 0)
		}
		fits = fits && c.Cost <= counters[i].room(c.Policy, now)
	}
	decisions := make([]core.Decision, len(charges))
	for i, c := range charges {
		retry := wait(counters[i], c.Policy, now, c.Cost)
		if fits && c.Cost > 0 {
			counters[i].spend(c.Policy, now, c.Cost)
		}
		if writes {
			m.states[keyOf(c)] = counters[i]
		}
		decisions[i] = describe(counters[i], c, now, retry)
	}
	return decisions
}

// Forget drops what a key has spent under a policy: Reset, or expiry.
func (m *Model) Forget(p core.Policy, key string) {
	delete(m.states, keyOf(core.Charge{Policy: p, Key: key}))
}

func (m *Model) state(c core.Charge) counter {
	if m.states == nil {
		m.states = make(map[stateKey]counter)
	}
	if known := m.states[keyOf(c)]; known != nil {
		return known
	}
	return newCounter(c.Policy.Algorithm)
}

func keyOf(c core.Charge) stateKey {
	return stateKey{c.Key, c.Policy.Name, c.Policy.Algorithm}
}

func describe(s counter, c core.Charge, now int64, retry time.Duration) core.Decision {
	d := core.Decision{
		Policy: c.Policy, Cost: c.Cost, Allowed: retry == 0, RetryAfter: retry,
		Remaining: s.room(c.Policy, now),
	}
	if d.Remaining < c.Policy.Capacity() {
		d.NextAfter = wait(s, c.Policy, now, d.Remaining+1)
	}
	whole := c.Policy // what the layers' own limits leave of it is not the allowance
	whole.CoarseLimit, whole.FineLimit = 0, 0
	d.ResetAfter = wait(s, whole, now, whole.Capacity())
	return d
}

// wait is the least time until n units fit.
func wait(s counter, p core.Policy, now, n int64) time.Duration {
	if n > p.Capacity() {
		return core.Never
	}
	fits := func(after int64) bool { return s.room(p, now+after) >= n }
	if fits(0) {
		return 0
	}
	short, enough := int64(0), int64(1)
	for !fits(enough) {
		short, enough = enough, 2*enough
	}
	for enough-short > 1 {
		if middle := (short + enough) / 2; fits(middle) {
			enough = middle
		} else {
			short = middle
		}
	}
	return time.Duration(enough) * time.Microsecond
}

func window(p core.Policy) int64 { return p.Window.Microseconds() }
