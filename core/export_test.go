package core

import (
	"context"
	"time"
)

// Decide judges many decisions in one script call.
func (l *Limiter) Decide(ctx context.Context, decisions ...[]Charge) ([][]Decision, error) {
	var b batch
	for _, asked := range decisions {
		j, err := l.join(asked)
		if err != nil {
			return nil, err
		}
		b.charges = append(b.charges, j.charges...)
		b.sizes = append(b.sizes, len(j.charges))
	}
	flat, err := l.decide(ctx, b)
	all := make([][]Decision, 0, len(b.sizes))
	for _, size := range b.sizes {
		all, flat = append(all, flat[:size]), flat[size:]
	}
	return all, err
}

// RedisKey is where l keeps what key has spent under p.
func (l *Limiter) RedisKey(p Policy, key string) string {
	c, err := l.charge(p, key, 0)
	if err != nil {
		panic(err)
	}
	return c.key
}

// ChargeAt is AllowAll for charges of one slot; it also returns the instant.
func (l *Limiter) ChargeAt(ctx context.Context, asked ...Charge) ([]Decision, int64, error) {
	j, err := l.join(asked)
	if err != nil {
		return nil, 0, err
	}
	return l.askPart(ctx, j.charges, markCharge)
}

// LookAt judges charges of one slot and writes nothing.
func (l *Limiter) LookAt(ctx context.Context, asked ...Charge) ([]Decision, error) {
	j, err := l.join(asked)
	if err != nil {
		return nil, err
	}
	ds, _, err := l.askPart(ctx, j.charges, markLook)
	return ds, err
}

// GiveBack takes back charges of one slot that were admitted at an instant.
func (l *Limiter) GiveBack(ctx context.Context, at int64, asked ...Charge) ([]Decision, error) {
	j, err := l.join(asked)
	if err != nil {
		return nil, err
	}
	return l.askBack(ctx, part{charges: j.charges, at: at})
}

// GiveBacks are how many parts of decisions were given back, and how many were
// tried in vain.
func (l *Limiter) GiveBacks() (returned, held int64) {
	return l.cluster.returned.Load(), l.cluster.held.Load()
}

// SlotOf is the Redis Cluster slot of a Redis key.
var SlotOf = slotOf

// Combining sets how many calls are under way before callers queue, how many
// charges a call has at most, and how many callers queue.
func Combining(calls, charges, queue int) Option {
	return func(l *Limiter) error {
		l.combiner.few, l.combiner.many = calls, calls
		l.combiner.charges, l.combiner.capacity = charges, queue
		return nil
	}
}

// Queued is how many callers queue, some of whom may have left, and how many
// calls are under way.
func (l *Limiter) Queued() (callers, calls int) {
	l.combiner.mu.Lock()
	defer l.combiner.mu.Unlock()
	return len(l.combiner.waiting), l.combiner.calls
}

// Occupy is a call under way until release.
func (l *Limiter) Occupy() (release func()) {
	l.combiner.enter(batch{})
	return func() { l.passOn(time.Now(), 0) }
}

// SlotsMatter reports whether l has found that it talks to a cluster.
func (l *Limiter) SlotsMatter() bool { return l.cluster.here.Load() }
