package coretest

import (
	"context"
	"time"

	"github.com/slidegate/slidegate/core"
)

// StubEngine is a guard.Engine that answers at once, so that a test or a
// benchmark sees nothing but the middleware. It is safe for concurrent use.
type StubEngine struct {
	Admits bool // the answer to every charge
}

// AllowN answers with made-up numbers.

func (e StubEngine) AllowN(_ context.Context, p core.Policy, _ string, cost int64) (core.Decision, error) {
	d := core.Decision{Policy: p, Cost: cost, Allowed: e.Admits, NextAfter: 5 * time.Second, ResetAfter: 50 * time.Second}
	if e.Admits {
		d.Remaining = 41
	} else {
		d.RetryAfter = d.NextAfter
	}
	return d, nil
}

// AllowAll answers each charge as AllowN does.
func (e StubEngine) AllowAll(ctx context.Context, charges ...core.Charge) ([]core.Decision, error) {
	ds := make([]core.Decision, len(charges))
	for i, c := range charges {
		ds[i], _ = e.AllowN(ctx, c.Policy, c.Key, c.Cost)
	}
	return ds, nil
}
