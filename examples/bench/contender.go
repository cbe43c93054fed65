package main

import "context"

// limiter is all that the rig knows of a contender.
type limiter interface {
	// Allow charges one unit to key. An error means that nothing was decided,
	// whatever the limiter would have a service do then.
	Allow(ctx context.Context, key string) (bool, error)
}

// allowFunc is a limiter made of one function.
type allowFunc func(ctx context.Context, key string) (bool, error)

func (f allowFunc) Allow(ctx context.Context, key string) (bool, error) { return f(ctx, key) }

// A contender is one row of every table: a library, or one of its modes.
type contender struct {
	name    string
	module  string // of which the version is printed
	refills bool   // admits more than its limit while time passes, at the limit's rate
	open    func(context.Context, *session) (limiter, error)
}

// base is the contender that all others are compared with.
const base = "redis_rate"

// contenders run in this order, in every round.
var contenders = append([]contender{
	redisRate,
	ululeLimiter,
	throttledGCRA,
	rueidisFixed,
}, ours...)

// leftOut says which peers are missing from the table, and why.
var leftOut = []string{
	"go-chi/httprate-redis is left out: it could not be fetched when this table was made; it would be one more file.",
	"mennanov/limiters is left out: it could not be fetched when this table was made; it would be one more file.",
}

func names(all []contender) (list []string) {
	for _, c := range all {
		list = append(list, c.name)
	}
	return list
}
