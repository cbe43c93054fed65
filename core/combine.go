package core

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// combiner has concurrent decisions of one Limiter share calls. A caller sends
// its own decision at once while few calls are under way. Else it queues, and
// who ends a call starts a drain: it sends what is queued in calls for many,
// one after the other, until nobody waits. So nobody waits for company, and
// while there is no queue there is no goroutine.
type combiner struct {
	off               bool
	few, many         int // calls under way before callers queue: Redis near, and far
	charges, capacity int // most charges of a call, most callers in the queue

	mu      sync.Mutex
	calls   int           // under way
	quick   time.Duration // what a quick call takes of late, besides its charges
	waiting []*waiter     // oldest first; some may have left. While there are any, calls is above 0
}

// Measured with BenchmarkCallers. On loopback two calls at a time are best from
// 8 callers to 256, for the fewer calls the cheaper all of them; with 2 ms to
// Redis so few cost a third of the throughput of 8 callers, and eight nothing.
// 128 decisions keep Redis for half a millisecond. A full queue means that
// Redis has stopped, or that more call than ever can be served in time: they
// are then sent as without it.
func newCombiner() combiner {
	return combiner{few: 2, many: 8, charges: 128, capacity: 4096}
}

// What a call, and each of its charges, roughly costs Redis and this process
// together. The rest of its time it is on the way, and others can be worked on.
const (
	callWork   = 100 * time.Microsecond
	chargeWork = 8 * time.Microsecond
)

// limit is how many calls are under way before callers queue.
func (c *combiner) limit() int {
	return min(max(int(c.quick/callWork), c.few), c.many)
}

// learn follows the quickest calls down at once, and up slowly.
func (c *combiner) learn(took time.Duration, charges int) {
	took = max(took-time.Duration(charges)*chargeWork, 0)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.quick = min(took, c.quick+(took-c.quick)/32)
}

// waiter is a caller in the queue. Whoever moves it from queued decides what
// becomes of it: the drain that sends it, or the caller who leaves.
type waiter struct {
	stage atomic.Int32
	batch batch
	timer *time.Timer
	done  chan struct{} // what follows is set

	decisions []Decision
	err       error
	again     bool // not decided: to be sent alone
}

const (
	queued int32 = iota
	underWay
	departed
)

var waiters = sync.Pool{New: func() any {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return &waiter{timer: timer, done: make(chan struct{}, 1)}
}}

// combines reports whether b may share a call with others. On a cluster few
// keys share a slot, and with it a call.
func (l *Limiter) combines(b batch) bool {
	return !l.combiner.off && !l.cluster.here.Load() && len(b.charges) <= l.combiner.charges
}

// askTogether sends b at once, or with others after it has queued.
func (l *Limiter) askTogether(ctx context.Context, b batch) ([]Decision, error) {
	if ctx.Err() != nil {
		return nil, unsent(ctx.Err())
	}
	start := time.Now()
	w, counted := l.combiner.enter(b)
	if w == nil {
		if counted {
			defer l.passOn(start, len(b.charges))
		}
		return l.askAlone(ctx, b)
	}
	decisions, err, again := w.wait(ctx, l.timeout)
	if again {
		ctx, cancel := context.WithDeadline(ctx, start.Add(l.timeout))
		defer cancel()
		return l.askAlone(ctx, b)
	}
	return decisions, err
}

// enter returns a place in the queue, or none: then b is to be sent at once,
// and passOn to be called after it if the call was counted. It is not counted
// where the queue is full.
func (c *combiner) enter(b batch) (w *waiter, counted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.calls < c.limit():
		c.calls++
		return nil, true
	case len(c.waiting) >= c.capacity:
		return nil, false
	}
	w = waiters.Get().(*waiter)
	w.stage.Store(queued)
	w.batch.charges = append(w.batch.charges[:0], b.charges...)
	w.batch.sizes = append(w.batch.sizes[:0], b.sizes...)
	c.waiting = append(c.waiting, w)
	return w, false
}

// take moves callers from the queue to a call: the oldest, and those after it
// whose decisions the same script judges. A command that Redis refuses to one
// algorithm is then no error for another. With nobody to take, or calls enough
// without this one, it ends.
func (c *combiner) take(taken []*waiter) []*waiter {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls > c.limit() {
		c.calls--
		return nil
	}
	keep, seen, charges := 0, 0, 0
	for _, w := range c.waiting {
		if charges >= c.charges {
			break
		}
		seen++
		if w.goesWith(taken) && charges+len(w.batch.charges) <= c.charges {
			if w.stage.CompareAndSwap(queued, underWay) {
				taken = append(taken, w)
				charges += len(w.batch.charges)
			}
			continue
		}
		c.waiting[keep] = w
		keep++
	}
	c.waiting = slices.Delete(c.waiting, keep, seen)
	if len(taken) == 0 {
		c.calls--
	}
	return taken
}

func (w *waiter) goesWith(taken []*waiter) bool {
	return len(taken) == 0 || w.batch.script() == taken[0].batch.script()
}

// wait returns what becomes of w, at the latest when ctx or timeout ends.
func (w *waiter) wait(ctx context.Context, timeout time.Duration) (decisions []Decision, err error, again bool) {
	w.timer.Reset(timeout)
	select {
	case <-w.done:
		return w.leave()
	case <-ctx.Done():
		err = ctx.Err()
	case <-w.timer.C:
		err = context.DeadlineExceeded
	}
	w.timer.Stop()
	// The queue or a call still holds w, so it is not for others to use again.
	if w.stage.CompareAndSwap(queued, departed) {
		return nil, unsent(err), false
	}
	return nil, &outageError{ErrUnknownOutcome, err}, false
}

// leave returns the answer and makes w free for others.
func (w *waiter) leave() (decisions []Decision, err error, again bool) {
	w.timer.Stop()
	decisions, err, again = w.decisions, w.err, w.again
	w.decisions, w.err, w.again = nil, nil, false
	waiters.Put(w)
	return decisions, err, again
}

// passOn ends a counted call: those who queued meanwhile are sent next, by
// nobody who has an answer already.
func (l *Limiter) passOn(start time.Time, charges int) {
	l.combiner.learn(time.Since(start), charges)
	if next := l.combiner.take(nil); len(next) > 0 {
		l.working.Go(func() { l.drain(next) })
	}
}

// drain sends calls for those who queue until nobody does.
func (l *Limiter) drain(members []*waiter) {
	var b batch
	for len(members) > 0 {
		b.charges, b.sizes = b.charges[:0], b.sizes[:0]
		for _, w := range members {
			b.charges = append(b.charges, w.batch.charges...)
			b.sizes = append(b.sizes, w.batch.sizes...)
		}
		start := time.Now()
		l.askFor(members, b)
		l.combiner.learn(time.Since(start), len(b.charges))
		clear(members)
		members = l.combiner.take(members[:0])
	}
}

// askFor sends b, the decisions of all members, and tells each its own.
func (l *Limiter) askFor(members []*waiter, b batch) {
	all, odd, err := l.askMany(b)
	if isCrossSlot(err) {
		l.cluster.here.Store(true)
	}
	again := len(members) > 1 && concernsSome(err)
	at := 0
	for _, w := range members {
		end := at + len(w.batch.charges)
		w.err, w.again = err, again
		if err == nil {
			w.decisions, w.err = all[at:end:end], odd.within(at, end)
		}
		at = end
		w.done <- struct{}{}
	}
}

// askMany is askAlone for decisions of several callers: one whose numbers cannot
// be true does not spoil the others. A panic is an error, for this runs on a
// goroutine of ours.
func (l *Limiter) askMany(b batch) ([]Decision, oddities, error) {
	var tag int64
	a := guarded(context.Background(), func(ctx context.Context) (reply any, err error) {
		tag = l.nextTag()
		return l.run(ctx, b.script(), b.args(tag, l.clock()))
	})
	if _, known := errors.AsType[*outageError](a.err); a.err != nil && !known {
		return nil, nil, &outageError{outcome(a.err), a.err}
	}
	if a.err != nil {
		return nil, nil, a.err
	}
	decisions, odd, err := decodeEach(a.reply, tag, b.charges)
	if err != nil {
		return nil, nil, &outageError{ErrReply, err}
	}
	return decisions, odd, nil
}

// concernsSome reports whether err is Redis's refusal of a call of which some
// decisions alone would be answered: those that write nothing, or those of one
// slot. Nothing ran.
func concernsSome(err error) bool {
	switch code, _ := redisCode(err); code {
	case "OOM", "READONLY", "NOREPLICAS":
		return true
	}
	return isCrossSlot(err)
}
