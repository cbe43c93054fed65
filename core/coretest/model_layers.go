package coretest

import "github.com/slidegate/slidegate/core"

// layeredWindow is a sliding window of fine parts. Besides, the units in the
// coarse and in the fine part that contain an instant have limits of their own.
type layeredWindow struct {
	slidingWindow
	coarse int64 // width of a coarse part
}

func (s *layeredWindow) settle(p core.Policy, now int64) bool {
	coarse, fine := layersOf(p)
	reshaped := len(s.counts) > 0 && s.coarse != coarse
	s.coarse = coarse
	p.SubWindows = int(window(p) / fine)
	return s.slidingWindow.settle(p, now) || reshaped
}

func (s *layeredWindow) room(p core.Policy, at int64) int64 {
	room := s.slidingWindow.room(p, at)
	if p.CoarseLimit > 0 {
		room = min(room, p.CoarseLimit-s.since(at-at%s.coarse))
	}
	if p.FineLimit > 0 {
		room = min(room, p.FineLimit-s.since(at-at%s.width))
	}
	return max(0, room)
}

// since counts the units of the fine parts that begin at start or later.
func (s *layeredWindow) since(start int64) (units int64) {
	for begins, n := range s.counts {
		if begins >= start {
			units += n
		}
	}
	return units
}

func (s *layeredWindow) clone() counter {
	return &layeredWindow{*s.slidingWindow.clone().(*slidingWindow), s.coarse}
}

// layersOf returns the widths of p's coarse and fine parts. By default there
// are as many as divide their whole into whole µs: up to 6 coarse ones, each of
// up to 10 fine ones, 10,000 in all.
func layersOf(p core.Policy) (coarse, fine int64) {
	parts, each := int64(p.SubWindows), int64(p.FineWindows)
	if parts == 0 {
		for parts = 6; window(p)%parts != 0; {
			parts--
		}
	}
	coarse = window(p) / parts
	if each == 0 {
		for each = min(10, 10_000/parts); coarse%each != 0; {
			each--
		}
	}
	return coarse, coarse / each
}
