package main

// An exactLog is the limit in the plainest code there is: it remembers each unit
// and when it was admitted. Units in (now-window, now] count. Times are µs and
// never go back.
type exactLog struct {
	limit, window int64
	entries       []entry // those that count, oldest first
	sum           int64   // their units
}

type entry struct{ at, units int64 }

// used is how many units count at now.
func (l *exactLog) used(now int64) int64 {
	gone := 0
	for gone < len(l.entries) && l.entries[gone].at <= now-l.window {
		l.sum -= l.entries[gone].units
		gone++
	}
	l.entries = l.entries[gone:]
	return l.sum
}

// fits reports whether units more would be within the limit at now.
func (l *exactLog) fits(now, units int64) bool { return l.used(now)+units <= l.limit }

// add counts units, within the limit or not.
func (l *exactLog) add(now, units int64) {
	l.entries = append(l.entries, entry{now, units})
	l.sum += units
}

// allow counts units if they fit.
func (l *exactLog) allow(now, units int64) bool {
	ok := l.fits(now, units)
	if ok {
		l.add(now, units)
	}
	return ok
}

// left is what the limit leaves at now, never below 0.
func (l *exactLog) left(now int64) int64 { return max(0, l.limit-l.used(now)) }
