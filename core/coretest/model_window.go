package coretest

import (
	"slices"

	"github.com/slidegate/slidegate/core"
)

// fixedWindow counts the units since the start of a window aligned to the epoch.
type fixedWindow struct{ start, count int64 }

func (s *fixedWindow) settle(p core.Policy, now int64) bool {
	if s.start <= now {
		return false
	}
	s.start = now - now%window(p)
	return true
}

func (s *fixedWindow) room(p core.Policy, at int64) int64 {
	if s.start < at-at%window(p) {
		return p.Limit
	}
	return max(0, p.Limit-s.count)
}

func (s *fixedWindow) spend(p core.Policy, now, n int64) {
	start := now - now%window(p)
	if s.start < start {
		s.count = 0
	}
	s.start, s.count = start, s.count+n
}

func (s *fixedWindow) clone() counter { c := *s; return &c }

// slidingLog keeps the instant of every unit, oldest first. Those in
// (at-Window, at] count.
type slidingLog struct{ units []int64 }

func (s *slidingLog) settle(_ core.Policy, now int64) (stale bool) {
	for i := range s.units {
		if s.units[i] > now {
			s.units[i], stale = now, true
		}
	}
	return stale
}

func (s *slidingLog) room(p core.Policy, at int64) int64 {
	gone, _ := slices.BinarySearch(s.units, at-window(p)+1)
	return max(0, p.Limit-int64(len(s.units)-gone))
}

func (s *slidingLog) spend(p core.Policy, now, n int64) {
	gone, _ := slices.BinarySearch(s.units, now-window(p)+1)
	s.units = append(s.units[gone:], slices.Repeat([]int64{now}, int(n))...)
}

func (s *slidingLog) clone() counter { return &slidingLog{slices.Clone(s.units)} }

// slidingWindow keeps units by the first µs of their sub-window, and the shape
// the sub-windows have.
type slidingWindow struct {
	width, window int64
	counts        map[int64]int64
}

// alive reports whether a window that ends at an instant still touches the
// sub-window that begins at start.
func (s *slidingWindow) alive(start, at int64) bool {
	return at < start+s.width+s.window
}

// settle moves the units of sub-windows in the future, or of another shape, to
// the sub-window that holds their last µs, or now.
func (s *slidingWindow) settle(p core.Policy, now int64) bool {
	shaped := s.width == width(p) && s.window == window(p)
	stale := len(s.counts) > 0 && !shaped
	for start := range s.counts {
		stale = stale || start > now
	}
	if !stale {
		s.width, s.window = width(p), window(p)
		return false
	}
	moved := make(map[int64]int64)
	for start, units := range s.counts {
		if !s.alive(start, now) {
			continue
		}
		if !shaped || start > now {
			last := min(start+s.width-1, now)
			start = last - last%width(p)
		}
		moved[start] += units
	}
	*s = slidingWindow{width(p), window(p), moved}
	return true
}

func (s *slidingWindow) room(p core.Policy, at int64) int64 {
	used, current := int64(0), at-at%s.width
	for start, units := range s.counts {
		if !s.alive(start, at) {
			continue
		}
		if p.Edge == core.Weighted && start == current-s.window {
			covered := s.width - (at - current)
			units = ceilDiv(units*covered, s.width)
		}
		used += units
	}
	return max(0, p.Limit-used)
}

func (s *slidingWindow) spend(p core.Policy, now, n int64) {
	for start := range s.counts {
		if !s.alive(start, now) {
			delete(s.counts, start)
		}
	}
	if n > 0 {
		s.counts[now-now%s.width] += n
	}
}

func (s *slidingWindow) clone() counter {
	c := &slidingWindow{s.width, s.window, make(map[int64]int64)}
	for start, units := range s.counts {
		c.counts[start] = units
	}
	return c
}

// width is a sub-window's length: what SubWindows says, or the largest number
// of parts up to 60 that divides Window into whole µs.
func width(p core.Policy) int64 {
	parts := int64(p.SubWindows)
	if parts == 0 {
		for parts = 60; window(p)%parts != 0; {
			parts--
		}
	}
	return window(p) / parts
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
