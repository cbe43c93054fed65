package coretest

import (
	"slices"

	"github.com/slidegate/slidegate/core"
)

// adaptiveWindow keeps groups of units, oldest first: how many, and when the
// last of them was admitted. All of a group count until a window after that.
// Units join the newest group while they fall into the same sub-window, and
// parts says into how many sub-windows the window is divided at present.
type adaptiveWindow struct {
	groups []group
	parts  int64
}

type group struct{ last, units int64 }

func (s *adaptiveWindow) settle(_ core.Policy, now int64) (stale bool) {
	for i := range s.groups {
		if s.groups[i].last > now {
			s.groups[i].last, stale = now, true
		}
	}
	return stale
}

func (s *adaptiveWindow) room(p core.Policy, at int64) int64 {
	used := int64(0)
	for _, g := range s.groups {
		if g.last+window(p) > at {
			used += g.units
		}
	}
	return max(0, p.Limit-used)
}

func (s *adaptiveWindow) spend(p core.Policy, now, n int64) {
	s.groups = slices.DeleteFunc(s.groups, func(g group) bool { return g.last+window(p) <= now })
	s.clamp(p)
	if n == 0 && len(s.groups) == 0 {
		s.parts = 0 // nothing is left to write
	}
	if n == 0 {
		return
	}
	s.adapt(p, now)
	if len(s.groups) > 0 && s.subWindow(p, s.newest().last) == s.subWindow(p, now) {
		s.newest().last, s.newest().units = now, s.newest().units+n
		return
	}
	s.groups = append(s.groups, group{now, n})
}

// clamp keeps parts within the policy's bounds.
func (s *adaptiveWindow) clamp(p core.Policy) {
	shape := adaptiveShape(p)
	s.parts = min(max(s.parts, shape.fewest), shape.most)
}

// adapt changes the width by what the newest sub-window holds: nothing, where
// one was skipped since.
func (s *adaptiveWindow) adapt(p core.Policy, now int64) {
	shape := adaptiveShape(p)
	recent, same := int64(0), false
	if len(s.groups) > 0 {
		passed := s.subWindow(p, now) - s.subWindow(p, s.newest().last)
		same = passed == 0
		if passed <= 1 {
			recent = s.newest().units
		}
	}
	switch {
	case recent > shape.above:
		s.parts = min(2*s.parts, shape.most)
	case recent < shape.below && !same:
		s.parts = max(ceilDiv(s.parts, 2), shape.fewest)
	}
}

func (s *adaptiveWindow) newest() *group { return &s.groups[len(s.groups)-1] }

func (s *adaptiveWindow) subWindow(p core.Policy, at int64) int64 {
	return at / ceilDiv(window(p), s.parts)
}

func (s *adaptiveWindow) clone() counter {
	return &adaptiveWindow{slices.Clone(s.groups), s.parts}
}

type shape struct{ fewest, most, above, below int64 }

// adaptiveShape is what a policy's fields mean where they are zero.
func adaptiveShape(p core.Policy) shape {
	s := shape{int64(p.MinSubWindows), int64(p.SubWindows), p.NarrowAbove, p.WidenBelow}
	if s.most == 0 {
		s.most = max(240, s.fewest)
	}
	if s.fewest == 0 {
		s.fewest = min(15, s.most)
	}
	switch {
	case s.above == 0 && s.below == 0:
		s.above, s.below = max(1, p.Limit/40), ceilDiv(p.Limit, 80)
	case s.above == 0:
		s.above = max(2*s.below, p.Limit/40)
	case s.below == 0:
		s.below = ceilDiv(s.above, 2)
	}
	return s
}
