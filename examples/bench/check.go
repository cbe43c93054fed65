package main

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// A verdict is what a contender admitted when it was asked more often than its
// limit, before anything is measured.
type verdict struct {
	Admitted int64  `json:"admitted"`
	Most     int64  `json:"most"` // of the limit, with what came back meanwhile
	Errors   int64  `json:"errors"`
	Problem  string `json:"problem,omitempty"`
}

// How it is asked: 400 times for a limit of 100, by eight callers at once.
const (
	checkLimit   = 100
	checkCallers = 8
	checkCalls   = 400
)

// check asks again on a new key where the minute turned meanwhile, for a window
// aligned to the minute may then rightly admit its limit twice.
func (r *rig) check(ctx context.Context, c contender) verdict {
	for {
		began := time.Now()
		v, err := r.ask(ctx, c)
		if err != nil {
			return verdict{Problem: err.Error()}
		}
		took := time.Since(began)
		if began.Truncate(time.Minute) != time.Now().Truncate(time.Minute) && took < 10*time.Second {
			continue
		}
		v.judge(c.refills, took)
		return v
	}
}

// ask has eight callers share the calls.
func (r *rig) ask(ctx context.Context, c contender) (v verdict, err error) {
	tag := newTag()
	defer r.clean(ctx, tag)
	var first atomic.Pointer[error]
	err = r.session(r.server.target.Addr, checkLimit).with(ctx, c, func(l limiter) error {
		var running sync.WaitGroup
		for range checkCallers {
			running.Go(func() { v.count(ctx, l, tag, &first) })
		}
		running.Wait()
		return nil
	})
	if e := first.Load(); e != nil {
		v.Problem = (*e).Error()
	}
	return v, err
}

func (v *verdict) count(ctx context.Context, l limiter, key string, first *atomic.Pointer[error]) {
	for range checkCalls / checkCallers {
		allowed, err := l.Allow(ctx, key)
		if err != nil {
			atomic.AddInt64(&v.Errors, 1)
			first.CompareAndSwap(nil, &err)
		} else if allowed {
			atomic.AddInt64(&v.Admitted, 1)
		}
	}
}

// judge grants a contender that refills what came back while it was asked, and one
// more for where that began.
func (v *verdict) judge(refills bool, took time.Duration) {
	if v.Most = checkLimit; refills {
		v.Most += 1 + int64(math.Ceil(took.Minutes()*checkLimit))
	}
	if v.ok() && v.Errors > 0 {
		v.Problem = fmt.Sprintf("%d of %d calls failed in the check: %s", v.Errors, checkCalls, v.Problem)
	}
	if !v.ok() {
		v.Problem = fmt.Sprintf("admitted %d of %d calls on a limit of %d (want %d to %d), %d errors%s",
			v.Admitted, checkCalls, checkLimit, checkLimit, v.Most, v.Errors, because(v.Problem))
	}
}

// ok reports whether it decides, so that there is something to measure. Calls that
// failed are shown, and not held against it here.
func (v verdict) ok() bool { return v.Admitted >= checkLimit && v.Admitted <= v.Most }

func because(why string) string {
	if why == "" {
		return ""
	}
	return ", the first: " + why
}
