package main

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"
)

// A sample is what one contender did in one cell of one round.
type sample struct {
	figures           figures
	decisions, admits int64
	errors            int64
	firstError        string
}

// A load is what the callers do: decide about a key taken at random, again and
// again. Each waits for its answer before it asks again.
type load struct {
	limiter limiter
	keys    []string
	callers int
}

// caller is one of them, and what it has seen.
type caller struct {
	dice           *rand.Rand
	times          histogram
	admits, errors int64
	firstError     error
}

// run has all callers decide for d. They are there and waiting before begin is
// called, so that what making them costs is not in what begin starts to measure.
func (l load) run(ctx context.Context, d time.Duration, all []*caller, begin func()) {
	var running sync.WaitGroup
	var end time.Time
	gate := make(chan struct{})
	for _, c := range all {
		running.Go(func() {
			<-gate
			c.decide(ctx, l, end)
		})
	}
	begin()
	end = time.Now().Add(d)
	close(gate)
	running.Wait()
}

func (c *caller) decide(ctx context.Context, l load, end time.Time) {
	for now := time.Now(); now.Before(end) && ctx.Err() == nil; {
		allowed, err := l.limiter.Allow(ctx, l.keys[c.dice.IntN(len(l.keys))])
		before := now
		now = time.Now()
		if err != nil {
			c.fail(err)
			continue
		}
		c.times.record(now.Sub(before))
		if allowed {
			c.admits++
		}
	}
}

func (c *caller) fail(err error) {
	if c.errors++; c.firstError == nil {
		c.firstError = err
	}
}

// meter is what has been used up to one moment.
type meter struct {
	at                   time.Time
	redis, client        float64 // µs of CPU
	mallocs, mallocBytes uint64
}

// read is a meter of now. What it costs the client to ask Redis stays out of the
// measurement: first says at which end of it this is.
func (r *rig) read(ctx context.Context, first bool) (m meter) {
	askRedis := func() { m.redis = r.server.cpu(ctx) }
	askHere := func() {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		m.mallocs, m.mallocBytes, m.client, m.at = s.Mallocs, s.TotalAlloc, clientCPU(), time.Now()
	}
	if first {
		runtime.GC() // nobody pays for another's garbage
		askRedis()
		askHere()
	} else {
		askHere()
		askRedis()
	}
	return m
}

// measure warms l up and measures it for d.
func (r *rig) measure(ctx context.Context, l load, d time.Duration) sample {
	l.run(ctx, d/4, newCallers(l.callers), func() {})
	all := newCallers(l.callers)
	var before meter
	l.run(ctx, d, all, func() { before = r.read(ctx, true) })
	return summarize(all, before, r.read(ctx, false))
}

func newCallers(n int) (all []*caller) {
	for i := range n {
		all = append(all, &caller{dice: rand.New(rand.NewPCG(uint64(i), uint64(n)))})
	}
	return all
}

func summarize(all []*caller, before, after meter) (s sample) {
	var times histogram
	for _, c := range all {
		times.add(&c.times)
		s.admits += c.admits
		s.errors += c.errors
		if c.firstError != nil && s.firstError == "" {
			s.firstError = c.firstError.Error()
		}
	}
	s.decisions = times.total()
	s.figures = nothing()
	if s.decisions > 0 {
		s.figures.fill(float64(s.decisions), &times, before, after)
	}
	return s
}

// fill charges what failed calls cost to the decisions that were made.
func (f *figures) fill(decisions float64, times *histogram, before, after meter) {
	f[perSecond] = decisions / after.at.Sub(before.at).Seconds()
	f[p50], f[p99] = times.quantile(0.5), times.quantile(0.99)
	f[allocations] = float64(after.mallocs-before.mallocs) / decisions
	f[allocated] = float64(after.mallocBytes-before.mallocBytes) / decisions
	f[clientTime] = (after.client - before.client) / decisions
	f[redisTime] = (after.redis - before.redis) / decisions
}
