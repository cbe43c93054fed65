package main

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// A session is one contender's connection to Redis, made anew for each cell, so
// that no other contender's idle connections are open meanwhile.
type session struct {
	target  redis.Options // where Redis is, over the cell's link
	pool    int
	limit   int64 // units per minute
	closers []func()
}

// client is a go-redis client as its users have it, the same for every contender
// that wants one.
func (s *session) client() *redis.Client {
	o := s.target
	o.PoolSize, o.ContextTimeoutEnabled = s.pool, true
	// Many callers wait for few connections; that wait is measured, not cut off.
	o.PoolTimeout, o.ReadTimeout = time.Minute, 10*time.Second
	client := redis.NewClient(&o)
	s.onClose(func() { _ = client.Close() })
	return client
}

// onClose has f called when the session ends, the last one given first.
func (s *session) onClose(f func()) { s.closers = append(s.closers, f) }

func (s *session) close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
}

// with opens c for as long as f runs.
func (s session) with(ctx context.Context, c contender, f func(limiter) error) error {
	defer s.close()
	l, err := c.open(ctx, &s)
	if err != nil {
		return err
	}
	return f(l)
}
