package main

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Every answer is counted once, as a decision or as an error, and a failed call is
// in no percentile.
func TestRunCountsEveryCall(t *testing.T) {
	calls := make(chan bool, 1<<20)
	l := load{keys: []string{"a", "b"}, callers: 4, limiter: allowFunc(func(_ context.Context, key string) (bool, error) {
		calls <- true
		if key == "b" {
			return false, errors.New("b is broken")
		}
		return true, nil
	})}
	all := newCallers(l.callers)
	l.run(t.Context(), 10*time.Millisecond, all, func() {})
	s := summarize(all, meter{}, meter{at: time.Now()})
	if s.decisions+s.errors != int64(len(calls)) || s.admits != s.decisions || s.errors == 0 || s.decisions == 0 {
		t.Errorf("%d decisions, %d admitted, %d errors of %d calls", s.decisions, s.admits, s.errors, len(calls))
	}
	if s.firstError != "b is broken" {
		t.Errorf("first error is %q", s.firstError)
	}
}

func TestFiguresArePerDecision(t *testing.T) {
	one := &caller{}
	for range 10 {
		one.times.record(time.Millisecond)
	}
	began := time.Now()
	s := summarize([]*caller{one}, meter{at: began, mallocs: 5}, meter{at: began.Add(2 * time.Second), redis: 30, client: 50, mallocs: 25, mallocBytes: 400})
	want := map[int]float64{perSecond: 5, allocations: 2, allocated: 40, clientTime: 5, redisTime: 3}
	for c, v := range want {
		if s.figures[c] != v {
			t.Errorf("%s is %v, want %v", heads[c].text, s.figures[c], v)
		}
	}
}

func TestNothingDecidedIsUnknown(t *testing.T) {
	s := summarize(newCallers(2), meter{}, meter{at: time.Now()})
	for c, v := range s.figures {
		if !same(v, unknown) {
			t.Errorf("%s of no decision is %v", heads[c].text, v)
		}
	}
}
