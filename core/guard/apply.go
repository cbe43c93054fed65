package guard

import (
	"strconv"
	"strings"
)

// Apply sets the header fields of the response through set, which replaces.
// get returns the value that a field of the response has already, "" if none:
// limiters may be nested, and what an outer one said is kept.
//
// Fields that are lists get members added. Of single values those of the
// limiter with less left stay, and the later Retry-After.
func (v *Verdict) Apply(get func(name string) string, set func(name, value string)) {
	v.apply(
		func(f field) string { return get(f.name()) },
		func(f field, value string) { set(f.name(), value) })
}

func (v *Verdict) apply(get func(field) string, set func(field, string)) {
	m := &v.message
	var outer [None + 1]bool // dialects in which the outer limiter has less left
	for i, l := range m.lines[:m.n] {
		if l.holdsRemaining() {
			outer[l.dialect] = v.outerHasLess(get(l.field), m.value(i))
		}
	}
	for i, l := range m.lines[:m.n] {
		if value, ours := l.merge(get(l.field), m.value(i), outer[l.dialect]); ours {
			set(l.field, value)
		}
	}
}

// holdsRemaining reports whether l is the field by which limiters of its
// dialect compare.
func (l line) holdsRemaining() bool {
	return l.field == legacyRemaining || l.field == fieldRemaining || l.field == fieldRateLimit && l.dialect == Draft07
}

// outerHasLess reports whether the values of an outer limiter are to stay.
func (v *Verdict) outerHasLess(outer, inner string) bool {
	if outer == "" {
		return false
	}
	theirs, ok := remaining(outer)
	own, _ := remaining(inner)
	return ok && (theirs < own || theirs == own && !v.denied)
}

// remaining reads a field that is the number itself, or RateLimit of Draft07.
func remaining(value string) (int64, bool) {
	if _, rest, ok := strings.Cut(value, "remaining="); ok {
		value, _, _ = strings.Cut(rest, ",")
	}
	n, err := strconv.ParseInt(value, 10, 64)
	return n, err == nil
}

// merge returns the value to set where an outer limiter has set another, or
// false to leave that.
func (l line) merge(theirs, own string, outerHasLess bool) (string, bool) {
	switch {
	case theirs == "" || l.field == fieldCacheControl:
		return own, true
	case l.field == fieldRetryAfter:
		return own, !later(theirs, own)
	case l.field == fieldPolicy && l.dialect != Draft11:
		return joinQuotas(theirs, own, outerHasLess), true
	case l.dialect == Draft11:
		return theirs + ", " + own, true
	}
	return own, !outerHasLess
}

// later reports whether a is more seconds than b; what is no number is not.
func later(a, b string) bool {
	left, err := strconv.ParseInt(a, 10, 64)
	right, _ := strconv.ParseInt(b, 10, 64)
	return err == nil && left > right
}

// joinQuotas joins two lists of quotas without names, of which no two may have
// one number: the one that limit= reports stays.
func joinQuotas(outer, inner string, outerHasLess bool) string {
	if outerHasLess {
		return appendMissing(outer, inner)
	}
	return without(outer, inner) + inner
}

// appendMissing adds those of inner's quotas whose number outer does not have.
func appendMissing(outer, inner string) string {
	for quota := range strings.SplitSeq(inner, ", ") {
		if !hasNumber(outer, quota) {
			outer += ", " + quota
		}
	}
	return outer
}

// without returns those of outer's quotas whose number inner does not have,
// each followed by a comma.
func without(outer, inner string) string {
	kept := ""
	for quota := range strings.SplitSeq(outer, ", ") {
		if !hasNumber(inner, quota) {
			kept += quota + ", "
		}
	}
	return kept
}

func hasNumber(quotas, one string) bool {
	number, _, _ := strings.Cut(one, ";")
	for quota := range strings.SplitSeq(quotas, ", ") {
		if n, _, _ := strings.Cut(quota, ";"); n == number {
			return true
		}
	}
	return false
}
