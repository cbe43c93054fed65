package coretest

import (
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

// Story is what one key experiences under one policy, step by step. At counts
// from the start of a day, which starts windows of every length.
type Story struct {
	Name   string
	Policy core.Policy
	Steps  []Step
}

// Step asks for Cost units at an instant and expects an answer.
type Step struct {
	At        time.Duration
	Cost      int64
	Allowed   bool
	Remaining int64
	Retry     time.Duration
	Next      time.Duration
	Reset     time.Duration
}

// Run asks step by step and compares.
func (s Story) Run(t *testing.T, ask func(at time.Duration, c core.Charge) (core.Decision, error)) {
	t.Helper()
	for i, step := range s.Steps {
		got, err := ask(step.At, core.Charge{Policy: s.Policy, Key: "someone", Cost: step.Cost})
		if err != nil {
			t.Fatalf("step %d: %v", i+1, err)
		}
		want := core.Decision{
			Policy: s.Policy, Cost: step.Cost, Allowed: step.Allowed, Remaining: step.Remaining,
			RetryAfter: step.Retry, NextAfter: step.Next, ResetAfter: step.Reset,
		}
		if got != want {
			t.Errorf("step %d, at %v, cost %d\n got allowed %v, %d left, retry %v, next %v, reset %v\nwant allowed %v, %d left, retry %v, next %v, reset %v",
				i+1, step.At, step.Cost, got.Allowed, got.Remaining, got.RetryAfter, got.NextAfter, got.ResetAfter,
				want.Allowed, want.Remaining, want.RetryAfter, want.NextAfter, want.ResetAfter)
		}
	}
}

const (
	us    = time.Microsecond
	ms    = time.Millisecond
	sec   = time.Second
	never = core.Never
)

// Stories tell each algorithm's character in a few steps.
var Stories = []Story{
	{"fixed window: a limit for each window, twice that around a boundary",
		core.Policy{Name: "fw", Algorithm: core.FixedWindow, Limit: 3, Window: 10 * sec}, []Step{
			{9 * sec, 2, true, 1, 0, 1 * sec, 1 * sec},
			{9900 * ms, 1, true, 0, 0, 100 * ms, 100 * ms},
			{9900 * ms, 1, false, 0, 100 * ms, 100 * ms, 100 * ms},
			{10*sec - us, 1, false, 0, us, us, us},
			{10 * sec, 3, true, 0, 0, 10 * sec, 10 * sec},
			{12 * sec, 4, false, 0, never, 8 * sec, 8 * sec},
			{35 * sec, 0, true, 3, 0, 0, 0},
		}},
	{"sliding log: a unit comes back exactly one window after it was spent",
		core.Policy{Name: "sl", Algorithm: core.SlidingLog, Limit: 3, Window: 10 * sec}, []Step{
			{1 * sec, 1, true, 2, 0, 10 * sec, 10 * sec},
			{4 * sec, 2, true, 0, 0, 7 * sec, 10 * sec},
			{5 * sec, 1, false, 0, 6 * sec, 6 * sec, 9 * sec},
			{5 * sec, 2, false, 0, 9 * sec, 6 * sec, 9 * sec},
			{11*sec - us, 1, false, 0, us, us, 3*sec + us},
			{11 * sec, 1, true, 0, 0, 3 * sec, 10 * sec},
			{30 * sec, 0, true, 3, 0, 0, 0},
		}},
	{"compact log: as the sliding log, when its ring has gone round as well",
		core.Policy{Name: "cl", Algorithm: core.CompactLog, Limit: 3, Window: 10 * sec}, []Step{
			{1 * sec, 1, true, 2, 0, 10 * sec, 10 * sec},
			{4 * sec, 2, true, 0, 0, 7 * sec, 10 * sec},
			{5 * sec, 2, false, 0, 9 * sec, 6 * sec, 9 * sec},
			{11*sec - us, 1, false, 0, us, us, 3*sec + us},
			{11 * sec, 1, true, 0, 0, 3 * sec, 10 * sec},
			{15 * sec, 3, false, 2, 6 * sec, 6 * sec, 6 * sec},
			{15 * sec, 2, true, 0, 0, 6 * sec, 10 * sec},
			{25*sec - us, 3, false, 1, us, us, us},
			{25 * sec, 3, true, 0, 0, 10 * sec, 10 * sec},
			{40 * sec, 4, false, 3, never, 0, 0},
		}},
	{"compact log: units of a clock that has stepped back count as of now, until a charge as of that",
		core.Policy{Name: "cl-back", Algorithm: core.CompactLog, Limit: 3, Window: 10 * sec}, []Step{
			{50 * sec, 1, true, 2, 0, 10 * sec, 10 * sec},
			{52 * sec, 1, true, 1, 0, 8 * sec, 10 * sec},
			{20 * sec, 0, true, 1, 0, 10 * sec, 10 * sec},
			{21 * sec, 2, false, 1, 10 * sec, 10 * sec, 10 * sec},
			{24 * sec, 1, true, 0, 0, 7 * sec, 10 * sec},
			{31 * sec, 2, true, 0, 0, 3 * sec, 10 * sec},
		}},
	{"sliding window: the oldest sub-window counts whole until the window has left it",
		core.Policy{Name: "sw", Limit: 4, Window: 10 * sec, SubWindows: 5}, []Step{
			{1 * sec, 3, true, 1, 0, 11 * sec, 11 * sec},
			{5 * sec, 1, true, 0, 0, 7 * sec, 11 * sec},
			{11 * sec, 1, false, 0, 1 * sec, 1 * sec, 5 * sec},
			{11 * sec, 4, false, 0, 5 * sec, 1 * sec, 5 * sec},
			{12 * sec, 3, true, 0, 0, 4 * sec, 12 * sec},
			{16 * sec, 1, true, 0, 0, 8 * sec, 12 * sec},
			{28 * sec, 5, false, 4, never, 0, 0},
		}},
	{"sliding window, weighted: the oldest sub-window fades as the window leaves it",
		core.Policy{Name: "ww", Limit: 4, Window: 10 * sec, SubWindows: 5, Edge: core.Weighted}, []Step{
			{1 * sec, 4, true, 0, 0, 9500 * ms, 11 * sec},
			{10 * sec, 1, false, 0, 500 * ms, 500 * ms, 2 * sec},
			{10500 * ms, 1, true, 0, 0, 500 * ms, 11500 * ms},
			{11 * sec, 2, false, 1, 500 * ms, 500 * ms, 11 * sec},
			{12 * sec, 3, true, 0, 0, 10 * sec, 12 * sec},
		}},
	{"layered window: the oldest fine part counts whole until the window has left it",
		core.Policy{Name: "lw", Algorithm: core.LayeredWindow, Limit: 3, Window: 10 * sec, SubWindows: 5, FineWindows: 2}, []Step{
			{1500 * ms, 2, true, 1, 0, 10500 * ms, 10500 * ms},
			{2 * sec, 1, true, 0, 0, 10 * sec, 11 * sec},
			{11 * sec, 1, false, 0, 1 * sec, 1 * sec, 2 * sec},
			{12 * sec, 2, true, 0, 0, 1 * sec, 11 * sec},
			{30 * sec, 4, false, 3, never, 0, 0},
		}},
	{"layered window, limits in each layer: the one that binds says how long to wait",
		core.Policy{Name: "ll", Algorithm: core.LayeredWindow, Limit: 6, Window: 60 * sec, CoarseLimit: 4, FineLimit: 2}, []Step{
			{250 * ms, 1, true, 1, 0, 750 * ms, 60750 * ms},
			{500 * ms, 1, true, 0, 0, 500 * ms, 60500 * ms},
			{500 * ms, 1, false, 0, 500 * ms, 500 * ms, 60500 * ms}, // 2 in this second
			{500 * ms, 3, false, 0, never, 500 * ms, 60500 * ms},    // 3 never fit into one
			{1 * sec, 2, true, 0, 0, 9 * sec, 61 * sec},
			{2 * sec, 1, false, 0, 8 * sec, 8 * sec, 60 * sec}, // 4 in these ten seconds
			{10 * sec, 2, true, 0, 0, 51 * sec, 61 * sec},
			{11 * sec, 1, false, 0, 50 * sec, 50 * sec, 60 * sec}, // 6 in this minute
			{61*sec - us, 1, false, 0, us, us, 10*sec + us},
			{61 * sec, 1, true, 1, 0, 1 * sec, 61 * sec},
		}},
	{"layered window: all that one second may have is left, while the minute still counts",
		core.Policy{Name: "lc", Algorithm: core.LayeredWindow, Limit: 6, Window: 60 * sec, FineLimit: 2}, []Step{
			{0, 2, true, 0, 0, 1 * sec, 61 * sec},
			{1 * sec, 0, true, 2, 0, 0, 60 * sec},
			{61 * sec, 0, true, 2, 0, 0, 0},
		}},
	{"token bucket: idle tokens are saved up to the burst",
		core.Policy{Name: "tb", Algorithm: core.TokenBucket, Limit: 2, Window: sec, Burst: 5}, []Step{
			{0, 4, true, 1, 0, 500 * ms, 2 * sec},
			{300 * ms, 2, false, 1, 200 * ms, 200 * ms, 1700 * ms},
			{500 * ms, 2, true, 0, 0, 500 * ms, 2500 * ms},
			{1200 * ms, 1, true, 0, 0, 300 * ms, 2300 * ms},
			{100 * sec, 5, true, 0, 0, 500 * ms, 2500 * ms},
			{100 * sec, 6, false, 0, never, 500 * ms, 2500 * ms},
		}},
	{"leaky bucket: a level that drains evenly, by a third of a second's millionths too",
		core.Policy{Name: "lb", Algorithm: core.LeakyBucket, Limit: 3, Window: sec}, []Step{
			{0, 3, true, 0, 0, 333334 * us, sec},
			{333333 * us, 1, false, 0, us, us, 666667 * us},
			{333334 * us, 1, true, 0, 0, 333333 * us, sec},
			{666667 * us, 1, true, 0, 0, 333333 * us, sec},
		}},
	{"GCRA: units are due one every interval, the burst early",
		core.Policy{Name: "gc", Algorithm: core.GCRA, Limit: 1, Window: sec, Burst: 3}, []Step{
			{0, 1, true, 2, 0, sec, sec},
			{0, 2, true, 0, 0, sec, 3 * sec},
			{900 * ms, 1, false, 0, 100 * ms, 100 * ms, 2100 * ms},
			{sec, 1, true, 0, 0, sec, 3 * sec},
			{1500 * ms, 3, false, 0, 2500 * ms, 500 * ms, 2500 * ms},
		}},
	{"a look costs nothing and changes nothing",
		core.Policy{Name: "look", Algorithm: core.GCRA, Limit: 1, Window: sec}, []Step{
			{0, 0, true, 1, 0, 0, 0},
			{0, 1, true, 0, 0, sec, sec},
			{0, 0, true, 0, 0, sec, sec},
			{sec, 0, true, 1, 0, 0, 0},
		}},
}
