package main

import (
	"context"
	"time"

	ulule "github.com/ulule/limiter/v3"
	ululeredis "github.com/ulule/limiter/v3/drivers/store/redis"
)

// ululeLimiter is a fixed window that begins with a key's first request: INCRBY
// and PEXPIRE in one EVALSHA.
var ululeLimiter = contender{
	name:   "ulule/limiter",
	module: "github.com/ulule/limiter/v3",
	open: func(_ context.Context, s *session) (limiter, error) {
		store, err := ululeredis.NewStore(s.client())
		if err != nil {
			return nil, err
		}
		l := ulule.New(store, ulule.Rate{Period: time.Minute, Limit: s.limit})
		return allowFunc(func(ctx context.Context, key string) (bool, error) {
			r, err := l.Get(ctx, key)
			return err == nil && !r.Reached, err
		}), nil
	},
}
