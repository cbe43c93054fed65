package main

import (
	"math"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, story := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
		{[]float64{unknown, 7}, 7},
		{[]float64{unknown}, unknown},
		{nil, unknown},
	} {
		if got := median(story.values); !same(got, story.want) {
			t.Errorf("median(%v) = %v, want %v", story.values, got, story.want)
		}
	}
}

func TestMedianLeavesItsArgumentAlone(t *testing.T) {
	values := []float64{3, unknown, 1}
	median(values)
	if values[0] != 3 || !math.IsNaN(values[1]) || values[2] != 1 {
		t.Errorf("median changed its argument to %v", values)
	}
}

// A machine that halves its speed in the second round does so for both: each stays
// twice as fast as the other.
func TestRatiosPairRounds(t *testing.T) {
	ours, theirs := rounds(200, 100, 200), rounds(100, 50, 100)
	if got := ratios(ours, theirs)[perSecond]; got != 2 {
		t.Errorf("ratio is %v, want 2", got)
	}
	if got := ratios(ours, rounds(100, 200))[perSecond]; got != 1.25 {
		t.Errorf("ratio over the two rounds that both have is %v, want 1.25", got)
	}
}

func TestRatiosWithoutABase(t *testing.T) {
	for name, base := range map[string][]sample{"absent": nil, "zero": rounds(0), "unknown": rounds(unknown)} {
		if got := ratios(rounds(5), base)[perSecond]; !math.IsNaN(got) {
			t.Errorf("base %s: ratio is %v, want none", name, got)
		}
	}
}

// A quantile is right to 1/32, as wide as the buckets are.
func TestQuantiles(t *testing.T) {
	var h histogram
	for i := range 1000 {
		h.record(time.Duration(i+1) * time.Microsecond)
	}
	for q, want := range map[float64]float64{0.5: 500, 0.99: 990, 1: 1000} {
		if got := h.quantile(q); math.Abs(got/want-1) > 1.0/32 {
			t.Errorf("quantile %v is %v µs, want %v", q, got, want)
		}
	}
	if got := new(histogram).quantile(0.5); !math.IsNaN(got) {
		t.Errorf("quantile of nothing is %v", got)
	}
}

func TestBucketsHoldWhatTheySay(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 31, 32, 63, 64, 65, 127, 128, 1000, 123456789, time.Hour, math.MaxInt64} {
		i := bucketOf(d)
		if next := lowest(i + 1); d < lowest(i) || next > 0 && d >= next {
			t.Errorf("%d is in bucket %d, which holds %d to %d", d, i, lowest(i), next)
		}
	}
}

func rounds(rates ...float64) (all []sample) {
	for _, r := range rates {
		s := sample{figures: nothing(), decisions: 1}
		s.figures[perSecond] = r
		all = append(all, s)
	}
	return all
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
