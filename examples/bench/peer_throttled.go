package main

import (
	"context"

	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/goredisstore.v9"
)

// throttledGCRA reads, decides in the client, and swaps if nobody else did in the
// meantime: two round trips, and up to ten tries of them. On a key that many want
// it runs out of tries, which is an error.
var throttledGCRA = contender{
	name:    "throttled",
	module:  "github.com/throttled/throttled/v2",
	refills: true,
	open: func(ctx context.Context, s *session) (limiter, error) {
		store, err := goredisstore.NewCtx(s.client(), "throttled:")
		if err != nil {
			return nil, err
		}
		quota := throttled.RateQuota{MaxRate: throttled.PerMin(int(s.limit)), MaxBurst: int(s.limit) - 1}
		l, err := throttled.NewGCRARateLimiterCtx(store, quota)
		if err != nil {
			return nil, err
		}
		return allowFunc(func(ctx context.Context, key string) (bool, error) {
			limited, _, err := l.RateLimitCtx(ctx, key, 1)
			return err == nil && !limited, err
		}), nil
	},
}
