package main

import (
	"context"

	"github.com/go-redis/redis_rate/v10"
)

// redisRate is GCRA in one EVALSHA for each decision.
var redisRate = contender{
	name:    base,
	module:  "github.com/go-redis/redis_rate/v10",
	refills: true,
	open: func(_ context.Context, s *session) (limiter, error) {
		l, limit := redis_rate.NewLimiter(s.client()), redis_rate.PerMinute(int(s.limit))
		return allowFunc(func(ctx context.Context, key string) (bool, error) {
			r, err := l.Allow(ctx, key, limit)
			return err == nil && r.Allowed > 0, err
		}), nil
	},
}
