package coretest

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/slidegate/slidegate/core"
)

// Schedule is how an attacker spends: move after move, each a pause and a try.
type Schedule []Move

// Move waits until an instant and then asks for Cost units. The instant is By
// µs after the present one, or after the next multiple of a sub-window, of a
// coarse part or of Window, which is where algorithms with edges are weak.
type Move struct {
	To   Edge
	By   int64
	Cost int64
}

// Edge is what a Move's pause is counted from.
type Edge uint8

const (
	fromNow Edge = iota
	fromSubWindow
	fromCoarse
	fromWindow
	edges
)

// Admission is when units were admitted, in µs from a schedule's start.
type Admission struct{ At, Units int64 }

const movesPerSchedule = 20

// Search tries so many schedules against the model of p, half of them random
// and half small changes to the best so far, and returns the worst ones: those
// that get most units into one window, the very worst first.
func Search(p core.Policy, schedules int, seed uint64) []Schedule {
	const keep, climb = 20, 50 // each random schedule is climbed from as often
	rnd := rand.New(rand.NewPCG(seed, 1))
	var worst []scored
	for tried := 0; tried < schedules; {
		best := score(p, randomSchedule(p, rnd))
		tried++
		for range climb {
			next := score(p, mutate(p, best.schedule, rnd))
			if tried++; next.beats(best) >= 0 {
				best = next
			}
		}
		worst = append(worst, best)
		slices.SortFunc(worst, func(a, b scored) int { return b.beats(a) })
		worst = worst[:min(len(worst), keep)]
	}
	found := make([]Schedule, len(worst))
	for i, w := range worst {
		found[i] = w.schedule
	}
	return found
}

type scored struct {
	schedule    Schedule
	peak, total int64
}

// beats compares by the fullest window, then by all that was admitted: what
// gets more is nearer to something worse.
func (s scored) beats(other scored) int {
	return cmp.Or(cmp.Compare(s.peak, other.peak), cmp.Compare(s.total, other.total))
}

func score(p core.Policy, s Schedule) scored {
	state, result := newCounter(p.Algorithm).clone(), scored{schedule: s}
	admitted := s.Run(p, func(now, cost int64) bool {
		state.settle(p, now)
		fits := cost <= state.room(p, now)
		if fits {
			state.spend(p, now, cost)
			result.total += cost
		}
		return fits
	})
	result.peak = Peak(p, admitted)
	return result
}

// Run plays s from the start of a window on, and returns what ask admitted.
func (s Schedule) Run(p core.Policy, ask func(now, cost int64) bool) (admitted []Admission) {
	now := int64(1 << 50)
	now -= now % window(p)
	for _, m := range s {
		now = m.when(p, now)
		if ask(now, m.Cost) {
			admitted = append(admitted, Admission{now, m.Cost})
		}
	}
	return admitted
}

func (m Move) when(p core.Policy, now int64) int64 {
	step := edgesOf(p)[m.To]
	return max(now, now-now%step+min(step-1, 1)*step+m.By)
}

// edgesOf returns what p's edges are multiples of, by Edge; 1 is any instant.
func edgesOf(p core.Policy) [edges]int64 {
	steps := [edges]int64{1, window(p), window(p), window(p)}
	switch p.Algorithm {
	case core.SlidingWindow:
		steps[fromSubWindow] = width(p)
	case core.AdaptiveWindow:
		shape := adaptiveShape(p)
		steps[fromSubWindow], steps[fromCoarse] = ceilDiv(window(p), shape.most), ceilDiv(window(p), shape.fewest)
	case core.LayeredWindow:
		coarse, fine := layersOf(p)
		steps[fromSubWindow], steps[fromCoarse] = fine, coarse
	}
	return steps
}

// Peak returns the most units admitted in any (t-Window, t].
func Peak(p core.Policy, admitted []Admission) (peak int64) {
	inside, oldest := int64(0), 0
	for _, a := range admitted {
		for inside += a.Units; admitted[oldest].At <= a.At-window(p); oldest++ {
			inside -= admitted[oldest].Units
		}
		peak = max(peak, inside)
	}
	return peak
}

func randomSchedule(p core.Policy, rnd *rand.Rand) Schedule {
	s := make(Schedule, movesPerSchedule)
	for i := range s {
		s[i] = randomMove(p, rnd)
	}
	return s
}

func randomMove(p core.Policy, rnd *rand.Rand) Move {
	m := Move{To: Edge(rnd.IntN(int(edges))), By: rnd.Int64N(3) - 1, Cost: 1 + rnd.Int64N(p.Capacity())}
	switch {
	case m.To == fromNow:
		m.By = rnd.Int64N(window(p)>>rnd.IntN(12) + 1)
	case rnd.IntN(4) == 0:
		m.By = rnd.Int64N(window(p)/8 + 1)
	}
	if rnd.IntN(2) == 0 {
		m.Cost = 1
	}
	return m
}

// mutate returns s with a move or two changed, dropped or moved to another place.
func mutate(p core.Policy, s Schedule, rnd *rand.Rand) Schedule {
	s = slices.Clone(s)
	for range 1 + rnd.IntN(2) {
		i, j := rnd.IntN(len(s)), rnd.IntN(len(s))
		switch rnd.IntN(4) {
		case 0:
			s[i], s[j] = s[j], s[i]
		case 1:
			s[i].By += rnd.Int64N(5) - 2
		case 2:
			s[i].Cost = 1 + rnd.Int64N(p.Capacity())
		default:
			s[i] = randomMove(p, rnd)
		}
	}
	return s
}
