package main

import (
	"math/rand/v2"
	"testing"
	"time"
)

// The log against the definition: a sum over everything there ever was.
func TestExactLogIsTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		limit, window := 1+r.Int64N(10), 1+r.Int64N(20)
		log, all, now := exactLog{limit: limit, window: window}, []entry{}, int64(0)
		for range 100 {
			now += r.Int64N(5)
			n := 1 + r.Int64N(3)
			held := int64(0)
			for _, e := range all {
				if e.at > now-window {
					held += e.units
				}
			}
			if log.left(now) != limit-held {
				t.Fatalf("at %d: left %d; want %d", now, log.left(now), limit-held)
			}
			if ok := log.allow(now, n); ok != (held+n <= limit) {
				t.Fatalf("at %d: %d units on %d of %d: %v", now, n, held, limit, ok)
			} else if ok {
				all = append(all, entry{now, n})
			}
		}
	}
}

// at is a verdict at so many seconds.
func at(seconds float64, cost int64, allowed bool, remaining int64) verdict {
	return verdict{arrival{time.Duration(seconds * float64(time.Second)), 0, cost}, allowed, remaining}
}

func of(key int, v verdict) verdict { v.key = key; return v }

func TestMetricsOfHandmadeHistories(t *testing.T) {
	const limit, window = 4, 10 * time.Second
	for _, c := range []struct {
		name    string
		history []verdict
		want    Metrics
	}{
		{"nothing", nil, Metrics{Throughput: 1}},
		{"exact",
			[]verdict{at(0, 3, true, 1), at(1, 2, false, 1), at(2, 1, true, 0), at(9.999999, 1, false, 0), at(10, 3, true, 0)},
			Metrics{Decisions: 5, Offered: 10, Admitted: 7, Exact: 7, PeakUnits: 4, Peak: 1, PeakEnd: 10 * time.Second, Throughput: 1, Keys: 1}},
		{"twice the limit around an edge",
			[]verdict{at(9, 4, true, 0), at(10, 4, true, 0), at(11, 1, false, 0)},
			Metrics{Decisions: 3, Offered: 9, Admitted: 8, Exact: 4, PeakUnits: 8, Peak: 2, PeakEnd: 10 * time.Second, Throughput: 2, Keys: 1}},
		{"denied with room for it",
			[]verdict{at(0, 1, true, 3), at(1, 1, false, 0), at(12, 1, false, 0), at(13, 5, false, 4)},
			Metrics{Decisions: 4, Offered: 8, Admitted: 1, Exact: 3, PeakUnits: 1, Peak: 0.25, Throughput: 1. / 3, WronglyDenied: 2, WrongShare: 0.5, RemainingOff: 4, Keys: 1}},
		{"denied for what it should not have admitted is no wrong",
			[]verdict{at(0, 4, true, 0), at(1, 4, true, 7), at(10.5, 1, false, 0)},
			Metrics{Decisions: 3, Offered: 9, Admitted: 8, Exact: 5, PeakUnits: 8, Peak: 2, PeakEnd: time.Second, Throughput: 1.6, RemainingOff: 7, Keys: 1}},
		{"each client has a limit of its own",
			[]verdict{of(0, at(20, 3, true, 1)), of(5, at(20, 4, true, 0)), of(0, at(21, 1, true, 0))},
			Metrics{Decisions: 3, Offered: 8, Admitted: 8, Exact: 8, PeakUnits: 4, Peak: 1, PeakEnd: 20 * time.Second, PeakKey: 5, Throughput: 1, Keys: 2}},
	} {
		if got := judge(c.history, limit, window); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

func TestTheFullestWindowIsDrawnWhereItWas(t *testing.T) {
	history := []verdict{at(9, 4, true, 0), at(10, 4, true, 0), at(25, 1, true, 0)}
	l := lane{"made up", policyOf(4, 10*time.Second)}
	s := summarize(history, judge(history, 4, 10*time.Second), job{lane: l, duration: 30 * time.Second})
	if s.from != 0 || s.to != 10*time.Second {
		t.Errorf("the fullest window is %v to %v; want 0s to 10s", s.from, s.to)
	}
	for at, want := range map[float64]int64{5: 0, 9.2: 4, 15: 8, 19.5: 4, 21: 0, 29: 1} {
		if got := s.held[int(at*heldBins/30)]; got != want {
			t.Errorf("%d units held at %v s; want %d", got, at, want)
		}
	}
}
