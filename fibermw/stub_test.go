package fibermw_test

import (
	"context"
	"time"

	"github.com/slidegate/slidegate/core"
)

// stub is an engine that answers at once, so that a benchmark sees nothing but
// the middleware.
type stub struct{ allowed bool }

func (e stub) AllowN(_ context.Context, p core.Policy, _ string, cost int64) (core.Decision, error) {
	d := core.Decision{Policy: p, Cost: cost, Allowed: e.allowed, NextAfter: 5 * time.Second, ResetAfter: 50 * time.Second}
	if e.allowed {
		d.Remaining = 41
	} else {
		d.RetryAfter = d.NextAfter
	}
	return d, nil
}

func (e stub) AllowAll(ctx context.Context, charges ...core.Charge) ([]core.Decision, error) {
	ds := make([]core.Decision, len(charges))
	for i, c := range charges {
		ds[i], _ = e.AllowN(ctx, c.Policy, c.Key, c.Cost)
	}
	return ds, nil
}
