package core

import (
	"fmt"
	"time"
)

// What a Policy may hold. Scripts count in doubles, which hold integers exactly
// up to 2^53; the reply packs two flags beside a count.
const (
	biggest       = 1 << 50
	exact         = 1 << 52 // the largest product: two of them still add up exactly
	minWindow     = time.Millisecond
	maxWindow     = 366 * 24 * time.Hour
	maxSubWindows = 10_000
	maxLog        = 1_000_000         // members of one ZSET; a decision may add that many at once
	maxRing       = (64<<20 - 33) / 6 // slots of a CompactLog in 64 MiB, with its header and the server's
	subWindows    = 60                // the most that a zero SubWindows stands for
)

// Validate returns a *PolicyError that names the first field which cannot be
// used, its value and what is allowed; nil when p can be used. Each call that
// takes a Policy checks it likewise.
func (p Policy) Validate() error {
	for _, check := range []func() *PolicyError{
		p.checkName, p.checkAlgorithm, p.checkLimit, p.checkWindow, p.checkBurst,
		p.checkSubWindows, p.checkShape, p.checkAdaptive, p.checkLayers, p.checkEdge, p.checkOutage, p.checkPrecision,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (p Policy) bad(field string, value any, want string, args ...any) *PolicyError {
	return &PolicyError{Policy: p.Name, Field: field, Value: value, Want: fmt.Sprintf(want, args...)}
}

func (p Policy) checkName() *PolicyError {
	ok := len(p.Name) >= 1 && len(p.Name) <= 64
	for i := range len(p.Name) {
		ok = ok && isNameByte(p.Name[i])
	}
	if !ok {
		return p.bad("Name", p.Name, "1 to 64 characters of A-Z, a-z, 0-9, _ and -")
	}
	return nil
}

func isNameByte(c byte) bool {
	return isAlphanumeric(c) || c == '_' || c == '-'
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func (p Policy) checkAlgorithm() *PolicyError {
	if _, ok := wireForms[p.Algorithm]; !ok {
		return p.bad("Algorithm", p.Algorithm, "one of the constants, SlidingWindow to LayeredWindow")
	}
	return nil
}

func (p Policy) checkLimit() *PolicyError {
	switch {
	case p.Limit < 1:
		return p.bad("Limit", p.Limit, "at least 1 unit per Window")
	case p.Limit > biggest:
		return p.bad("Limit", p.Limit, "at most 2^50 (%d): scripts count exactly no further", int64(biggest))
	case p.Algorithm == CompactLog && p.Limit > maxRing:
		return p.bad("Limit", p.Limit, "at most %d for CompactLog, whose ring would pass 64 MiB; SlidingWindow counts more", maxRing)
	case p.Algorithm == SlidingLog && p.Limit > maxLog:
		return p.bad("Limit", p.Limit, "at most %d for SlidingLog, which keeps each unit; SlidingWindow counts more", maxLog)
	}
	return nil
}

func (p Policy) checkWindow() *PolicyError {
	switch {
	case p.Window < minWindow || p.Window > maxWindow:
		return p.bad("Window", p.Window, "1ms to 8784h (366 days)")
	case p.Window%time.Microsecond != 0:
		return p.bad("Window", p.Window, "whole microseconds")
	}
	return nil
}

func (p Policy) checkBurst() *PolicyError {
	switch {
	case p.Burst < 0:
		return p.bad("Burst", p.Burst, "0 (Limit) or more")
	case p.Burst > biggest:
		return p.bad("Burst", p.Burst, "at most 2^50 (%d): scripts count exactly no further", int64(biggest))
	case p.Burst > 0 && !p.Algorithm.hasRate():
		return p.bad("Burst", p.Burst, "0 for %v, which has no burst; TokenBucket, LeakyBucket and GCRA do", p.Algorithm)
	}
	return nil
}

func (p Policy) checkSubWindows() *PolicyError {
	switch {
	case p.SubWindows != 0 && !p.Algorithm.hasParts():
		return p.bad("SubWindows", p.SubWindows, "0 for %v, which has none; SlidingWindow, AdaptiveWindow and LayeredWindow do", p.Algorithm)
	case p.SubWindows < 0 || p.SubWindows > maxSubWindows:
		return p.bad("SubWindows", p.SubWindows, "0 (a sensible number) or 1 to %d", maxSubWindows)
	case p.SubWindows > 0 && p.Algorithm != AdaptiveWindow && p.Window.Microseconds()%int64(p.SubWindows) != 0:
		return p.bad("SubWindows", p.SubWindows, "a number that divides Window (%v) into whole microseconds", p.Window)
	}
	return nil
}

// checkShape refuses fields of one algorithm in a policy of another.
func (p Policy) checkShape() *PolicyError {
	for _, f := range []struct {
		field string
		value int64
		owner Algorithm
	}{
		{"MinSubWindows", int64(p.MinSubWindows), AdaptiveWindow},
		{"NarrowAbove", p.NarrowAbove, AdaptiveWindow},
		{"WidenBelow", p.WidenBelow, AdaptiveWindow},
		{"FineWindows", int64(p.FineWindows), LayeredWindow},
		{"CoarseLimit", p.CoarseLimit, LayeredWindow},
		{"FineLimit", p.FineLimit, LayeredWindow},
	} {
		switch {
		case f.value < 0:
			return p.bad(f.field, f.value, "0 (a sensible default) or more")
		case f.value > 0 && p.Algorithm != f.owner:
			return p.bad(f.field, f.value, "0 for %v; it is a field of %v", p.Algorithm, f.owner)
		}
	}
	return nil
}

func (p Policy) checkEdge() *PolicyError {
	switch {
	case p.Edge != Conservative && p.Edge != Weighted:
		return p.bad("Edge", p.Edge, "Conservative or Weighted")
	case p.Edge != Conservative && p.Algorithm != SlidingWindow:
		return p.bad("Edge", p.Edge, "Conservative for %v; SlidingWindow alone has a weighted edge", p.Algorithm)
	case p.FieldTTL && p.Algorithm != SlidingWindow:
		return p.bad("FieldTTL", p.FieldTTL, "false for %v; SlidingWindow alone has fields to expire", p.Algorithm)
	}
	return nil
}

func (p Policy) checkOutage() *PolicyError {
	if p.OnOutage != Open && p.OnOutage != Closed {
		return p.bad("OnOutage", p.OnOutage, "Open or Closed (this version has no other)")
	}
	return nil
}

// checkPrecision refuses what would pass 2^53 inside a script.
func (p Policy) checkPrecision() *PolicyError {
	if p.Algorithm == SlidingWindow && p.Edge == Weighted && p.Limit > exact/p.width() {
		return p.bad("Limit", p.Limit, "at most %d for a weighted edge with sub-windows of %d µs", exact/p.width(), p.width())
	}
	if !p.Algorithm.hasRate() {
		return nil
	}
	field, value := "Limit", p.Limit
	if p.Burst > 0 {
		field, value = "Burst", p.Burst
	}
	rate := p.rate()
	if most := min(exact/rate.den, exact/(rate.whole+1)); value > most {
		return p.bad(field, value, "at most %d, so that %d per %v is counted exactly", most, p.Limit, p.Window)
	}
	return nil
}

// rate is the time one unit takes: whole + rest/den µs, in lowest terms.
type rate struct{ whole, rest, den int64 }

func (p Policy) rate() rate {
	window := p.Window.Microseconds()
	common := gcd(window, p.Limit)
	window, den := window/common, p.Limit/common
	return rate{whole: window / den, rest: window % den, den: den}
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// width returns a sub-window's length in µs: Window by SubWindows, or by the
// largest number up to 60 that divides it.
func (p Policy) width() int64 {
	window := p.Window.Microseconds()
	if p.SubWindows > 0 {
		return window / int64(p.SubWindows)
	}
	for parts := int64(subWindows); ; parts-- {
		if window%parts == 0 {
			return window / parts
		}
	}
}
