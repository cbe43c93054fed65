package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/slidegate/slidegate/core"
)

// epoch is where virtual time begins: far ahead of any server's clock, so that
// nothing expires by it, and the same in every run.
var epoch = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// A job is one lane against one scenario.
type job struct {
	lane     lane
	scenario scenario
	arrivals []arrival
	offset   time.Duration // of the first arrival into a window of the clock
	duration time.Duration
}

// A result is what came of a job.
type result struct {
	Lane     lane
	Scenario scenario
	Metrics  Metrics
	Series   series
}

// simulate runs all jobs, each worker on a server of its own. It returns the
// results in the order of jobs.
func simulate(ctx context.Context, servers []*server, jobs []job, show *progress) ([]result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	results, queue := make([]result, len(jobs)), make(chan int)
	var workers sync.WaitGroup
	for _, s := range servers {
		workers.Go(func() {
			for i := range queue {
				var err error
				if results[i], err = s.run(ctx, jobs[i], show); err != nil {
					stop(err)
				}
			}
		})
	}
	for i := range jobs {
		queue <- i
	}
	close(queue)
	workers.Wait()
	if err := context.Cause(ctx); errors.Is(err, context.Canceled) {
		return nil, errors.New("interrupted; the keys of this run are deleted")
	} else if err != nil {
		return nil, err
	}
	return results, nil
}

// run plays a job and deletes the keys it made, also when it was interrupted.
func (s *server) run(ctx context.Context, j job, show *progress) (r result, err error) {
	if ctx.Err() != nil {
		return r, nil
	}
	p := &play{server: s, job: j, ctx: context.WithoutCancel(ctx)}
	defer func() { err = cmp.Or(err, s.remove(p.ctx)) }()
	limiter, err := core.New(s.rdb, core.Prefix(unique()), core.Clock(p.time), core.Timeout(10*time.Second))
	if err != nil {
		return r, err
	}
	defer limiter.Close()
	r = result{Lane: j.lane, Scenario: j.scenario}
	show.start(j)
	history, err := p.all(ctx, limiter, show)
	if err != nil {
		return r, fmt.Errorf("%s, %s: %w", j.lane.Label, j.scenario.Title, err)
	}
	r.Metrics = judge(history, j.lane.Policy.Limit, j.lane.Policy.Window)
	r.Series = summarize(history, r.Metrics, j)
	p.measured(&r.Metrics)
	return r, nil
}

// unique is a prefix that no other run and no service has, about as long as the
// usual one: a key's name is part of its size.
func unique() string { return "sim-" + rand.Text()[:10] }

// able asks for nothing under each lane, which shows whether the server has the
// commands, and returns the lanes that it can run and why it cannot the others.
func (s *server) able(ctx context.Context, all []lane) (run []lane, out []leftOut, err error) {
	limiter, err := core.New(s.rdb, core.Prefix(unique()), core.Timeout(10*time.Second))
	if err != nil {
		return nil, nil, err
	}
	defer limiter.Close()
	for _, l := range all {
		switch _, err := limiter.Peek(ctx, l.Policy, "nobody"); {
		case errors.Is(err, core.ErrConfiguration):
			out = append(out, leftOut{l.Label, err.Error()})
		case err != nil:
			return nil, nil, err
		default:
			run = append(run, l)
		}
	}
	s.watch.keys = nil // a look makes none
	return run, out, nil
}

// A play is a job under way.
type play struct {
	*server
	job
	ctx   context.Context
	now   time.Duration
	trips int64
	bytes int64
	used  float64 // µs of Redis CPU
	sure  bool    // the server tells its CPU
	mark  float64
	late  bool // the keys went without keep for too long
}

func (p *play) time() time.Time {
	w := p.lane.Policy.Window
	return epoch.Add(-time.Duration(epoch.UnixNano()%int64(w)) + p.offset + p.now)
}

// checks is how often a job's keys are measured, and chunk the most decisions
// from one progress report to the next.
const checks, chunk = 8, 200

// all decides the arrivals one by one, each at its own instant.
func (p *play) all(ctx context.Context, limiter *core.Limiter, show *progress) ([]verdict, error) {
	history := make([]verdict, 0, len(p.arrivals))
	every, checked := len(p.arrivals)/checks+1, time.Now()
	p.resume()
	for i, a := range p.arrivals {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		v, err := p.decide(limiter, a)
		if err != nil {
			return nil, err
		}
		history = append(history, v)
		if since := time.Since(checked); i%every == every-1 || since > time.Second/4 {
			p.late = p.late || since > time.Second
			p.pause()
			checked = time.Now()
			p.resume()
		}
		if (i+1)%chunk == 0 {
			show.done(chunk)
		}
	}
	show.done(len(p.arrivals) % chunk)
	p.pause()
	return history, nil
}

func (p *play) decide(limiter *core.Limiter, a arrival) (verdict, error) {
	p.now = a.at
	before := p.watch.trips
	d, err := limiter.AllowN(p.ctx, p.lane.Policy, "client-"+strconv.Itoa(a.key), a.cost)
	p.trips += p.watch.trips - before
	return verdict{a, d.Allowed, d.Remaining}, err
}

// pause stops the watch on Redis's CPU, and does what is not to count.
func (p *play) pause() {
	cpu, _ := p.cpu(p.ctx)
	p.used += cpu - p.mark
	p.bytes = max(p.bytes, p.largest(p.ctx))
	p.keep(p.ctx)
}

func (p *play) resume() { p.mark, p.sure = p.cpu(p.ctx) }

func (p *play) measured(m *Metrics) {
	m.RoundTrips = ratio(p.trips, m.Decisions)
	m.BytesPerKey = p.bytes
	m.Late = p.late && p.embedded == nil // keys live a second longer than they matter
	if p.sure {
		m.RedisCPU = p.used / float64(max(1, m.Decisions))
	}
}
