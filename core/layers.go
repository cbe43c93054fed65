package core

import "time"

// The most parts of each layer that a zero SubWindows or FineWindows stands for.
const (
	coarseParts = 6
	fineParts   = 10
)

// layers returns how many coarse parts p's window has, and how many fine parts
// each of them.
func (p Policy) layers() (coarse, fine int64) {
	window := p.Window.Microseconds()
	coarse = orElse(int64(p.SubWindows), mostParts(window, coarseParts))
	fine = orElse(int64(p.FineWindows), mostParts(window/coarse, min(fineParts, maxSubWindows/coarse)))
	return coarse, fine
}

// mostParts is the largest number up to most that divides a stretch.
func mostParts(stretch, most int64) int64 {
	for stretch%most != 0 {
		most--
	}
	return most
}

func orElse(n, zero int64) int64 {
	if n == 0 {
		return zero
	}
	return n
}

func layerFields(p Policy) []int64 {
	coarse, fine := p.layers()
	width := p.Window.Microseconds() / (coarse * fine)
	return []int64{p.Limit, width, fine, coarse, orElse(p.CoarseLimit, p.Limit), orElse(p.FineLimit, p.Limit)}
}

// A second more than the state lives, for a replica whose clock is ahead.
func layeredExpiry(p Policy) time.Duration {
	coarse, fine := p.layers()
	return p.Window + p.Window/time.Duration(coarse*fine) + time.Second
}

// checkLayers refuses parts and limits that do not fit into each other. It
// comes after checkSubWindows and checkShape.
func (p Policy) checkLayers() *PolicyError {
	if p.Algorithm != LayeredWindow {
		return nil
	}
	coarse, _ := p.layers()
	part := p.Window / time.Duration(coarse)
	switch most := maxSubWindows / coarse; {
	case int64(p.FineWindows) > most:
		return p.bad("FineWindows", p.FineWindows, "0 (a sensible number) or 1 to %d with %d coarse parts: %d fine parts in all", most, coarse, maxSubWindows)
	case p.FineWindows > 0 && part.Microseconds()%int64(p.FineWindows) != 0:
		return p.bad("FineWindows", p.FineWindows, "a number that divides a coarse part (%v) into whole microseconds", part)
	case p.CoarseLimit > p.Limit:
		return p.bad("CoarseLimit", p.CoarseLimit, "0 (none) or 1 to Limit (%d): thresholds out of order", p.Limit)
	case p.FineLimit > p.Limit:
		return p.bad("FineLimit", p.FineLimit, "0 (none) or 1 to Limit (%d): thresholds out of order", p.Limit)
	case p.CoarseLimit > 0 && p.FineLimit > p.CoarseLimit:
		return p.bad("FineLimit", p.FineLimit, "0 (none) or 1 to CoarseLimit (%d): thresholds out of order", p.CoarseLimit)
	}
	return nil
}
