package main

import "time"

// A series is what a chart shows of a result.
type series struct {
	duration, window  time.Duration
	limit             int64
	keys              int
	offered, admitted []float64 // units per second, of all keys
	held              []int64   // most units in any (t-window, t], of the key with the worst window
	from, to          time.Duration
}

const heldBins = 240

// rateBins are so wide that even traffic at the limit looks even: a twentieth of
// a window, or more where there are many.
func rateBins(duration, window time.Duration) int {
	return int(min(max(20*duration/window, 20), 240))
}

func summarize(history []verdict, m Metrics, j job) series {
	p := j.lane.Policy
	bins := rateBins(j.duration, p.Window)
	s := series{
		duration: j.duration, window: p.Window, limit: p.Limit, keys: m.Keys,
		offered: make([]float64, bins), admitted: make([]float64, bins),
		from: m.PeakEnd - p.Window, to: m.PeakEnd,
	}
	second := float64(bins) / s.duration.Seconds()
	for _, v := range history {
		bin := s.bin(v.at, bins)
		s.offered[bin] += float64(v.cost) * second
		if v.allowed {
			s.admitted[bin] += float64(v.cost) * second
		}
	}
	s.held = s.hold(history, m.PeakKey)
	return s
}

func (s series) bin(at time.Duration, bins int) int {
	return min(bins-1, int(float64(at)/float64(s.duration)*float64(bins)))
}

// hold is how full key's window was at most, bin by bin.
func (s series) hold(history []verdict, key int) []int64 {
	log := exactLog{limit: s.limit, window: s.window.Microseconds()}
	held, filled := make([]int64, heldBins), 0
	fill := func(until int) {
		for ; filled < until; filled++ {
			starts := float64(s.duration.Microseconds()) * float64(filled) / heldBins
			held[filled] = log.used(int64(starts))
		}
	}
	for _, v := range history {
		if v.key != key || !v.allowed {
			continue
		}
		bin := s.bin(v.at, heldBins)
		fill(bin + 1)
		log.used(v.at.Microseconds())
		log.add(v.at.Microseconds(), v.cost)
		held[bin] = max(held[bin], log.sum)
	}
	fill(heldBins)
	return held
}
