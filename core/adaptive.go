package core

// Defaults of AdaptiveWindow: coarse enough to be small while it is quiet, fine
// enough under load to admit at least as much as 60 equal sub-windows do.
const (
	fewestAdaptive = 15
	mostAdaptive   = 240
	narrowShare    = 40 // a sub-window with more than Limit/40 units is too wide
	widenShare     = 80
)

// partsBetween returns how few and how many sub-windows AdaptiveWindow may have.
func (p Policy) partsBetween() (fewest, most int64) {
	most = int64(p.SubWindows)
	if most == 0 {
		most = max(mostAdaptive, int64(p.MinSubWindows))
	}
	fewest = int64(p.MinSubWindows)
	if fewest == 0 {
		fewest = min(fewestAdaptive, most)
	}
	return fewest, most
}

// thresholds returns how many units in a sub-window of AdaptiveWindow make the
// next one narrower, and how few make it wider.
func (p Policy) thresholds() (above, below int64) {
	above, below = p.NarrowAbove, p.WidenBelow
	switch {
	case above == 0 && below == 0:
		above, below = max(1, p.Limit/narrowShare), (p.Limit+widenShare-1)/widenShare
	case above == 0:
		above = max(2*below, p.Limit/narrowShare)
	case below == 0:
		below = (above + 1) / 2
	}
	return above, below
}

func (p Policy) checkAdaptive() *PolicyError {
	if p.Algorithm != AdaptiveWindow {
		return nil
	}
	most := int64(p.SubWindows)
	if most == 0 {
		most = maxSubWindows
	}
	if int64(p.MinSubWindows) > most {
		return p.bad("MinSubWindows", p.MinSubWindows, "0 (a sensible number) or at most SubWindows (%d)", most)
	}
	if above, below := p.thresholds(); below > above {
		return p.bad("WidenBelow", p.WidenBelow, "at most NarrowAbove (%d)", above)
	}
	return nil
}

func adaptiveFields(p Policy) []int64 {
	fewest, most := p.partsBetween()
	above, below := p.thresholds()
	return append(plainFields(p), fewest, most, above, below)
}
