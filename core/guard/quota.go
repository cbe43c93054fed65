package guard

import (
	"math"
	"math/bits"
	"time"

	"github.com/slidegate/slidegate/core"
)

const microsPerSecond = 1_000_000

// quota states p as q units in w whole seconds, for the fields that know
// nothing else.
//
// A limit over a window is scaled to the least whole multiple: 5 in 1.5 s are
// 10 in 3 s. A rate with a burst is the units that the rate yields in the time
// it takes to refill the burst, in whole seconds, so that no more than q are
// ever left: 10 per second with a burst of 20 are 20 in 2 s.
func quota(p core.Policy) (q, w int64) {
	micros := p.Window.Microseconds()
	switch {
	case micros < 1 || p.Limit < 1: // no Policy that core decides on
		return max(0, p.Limit), max(1, seconds(p.Window))
	case p.Algorithm == core.TokenBucket, p.Algorithm == core.LeakyBucket, p.Algorithm == core.GCRA:
		refill := mulDiv(p.Capacity(), micros, p.Limit, p.Limit-1)
		return perSeconds(p, seconds(time.Duration(min(refill, math.MaxInt64/1000))*time.Microsecond))
	case micros%microsPerSecond == 0:
		return p.Limit, micros / microsPerSecond
	}
	times := microsPerSecond / gcd(micros, microsPerSecond)
	if p.Limit > maxInteger/times { // too long for a field: as near as seconds come
		return perSeconds(p, seconds(p.Window))
	}
	return p.Limit * times, micros * times / microsPerSecond
}

// allowance is how many units p gives a key: its capacity, but all of Limit
// under LayeredWindow, whose parts may hand it out bit by bit.
func allowance(p core.Policy) int64 {
	if p.Algorithm == core.LayeredWindow {
		return p.Limit
	}
	return p.Capacity()
}

// perSeconds is what p's rate yields in w seconds, rounded down.
func perSeconds(p core.Policy, w int64) (int64, int64) {
	w = min(max(1, w), maxInteger/microsPerSecond)
	return mulDiv(p.Limit, w*microsPerSecond, p.Window.Microseconds(), 0), w
}

// mulDiv is (a*b + extra) / c in 128 bits, for positive numbers; what does not
// fit is the largest int64.
func mulDiv(a, b, c, extra int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	low, carry := bits.Add64(low, uint64(extra), 0)
	high += carry
	if high >= uint64(c) {
		return math.MaxInt64
	}
	quotient, _ := bits.Div64(high, low, uint64(c))
	return int64(min(quotient, math.MaxInt64))
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
