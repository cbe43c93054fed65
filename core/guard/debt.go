package guard

import (
	"context"
	"net/http"

	"github.com/slidegate/slidegate/core"
)

// debt is what a request costs if its outcome counts.
type debt struct {
	gate    *Gate
	ctx     context.Context // outlives the client
	charges []core.Charge
}

// look asks what is left, and says of each charge whether it would fit. It
// spends nothing.
func (g *Gate) look(ctx context.Context, charges []core.Charge) ([]core.Decision, error) {
	looks := make([]core.Charge, len(charges))
	for i, c := range charges {
		looks[i] = core.Charge{Policy: c.Policy, Key: c.Key}
	}
	ds, err := g.engine.AllowAll(ctx, looks...)
	for i := range min(len(ds), len(charges)) {
		if !isDegraded(ds[i]) {
			wouldFit(&ds[i], charges[i].Cost)
		}
	}
	return ds, err
}

// wouldFit makes a look at d the answer for a cost. One unit too many fits when
// the next comes back; more fit when all have, at the latest.
func wouldFit(d *core.Decision, cost int64) {
	d.Cost = cost
	if cost <= d.Remaining {
		return
	}
	d.Allowed = false
	switch {
	case cost > d.Policy.Capacity():
		d.RetryAfter = core.Never
	case cost == d.Remaining+1:
		d.RetryAfter = d.NextAfter
	default:
		d.RetryAfter = d.ResetAfter
	}
}

// Serve calls the handler, which returns the status it answered, and charges
// the request if that status counts. A panic of the handler counts as 500 and
// goes on as it was.
func (v *Verdict) Serve(handler func() (status int)) {
	status := http.StatusInternalServerError
	defer func() { v.debt.settle(status) }()
	status = handler()
}

// settle charges the request if its status counts. What went on meanwhile may
// have left no room under one of several limits; the others are charged all
// the same, for the request did happen.
func (d *debt) settle(status int) {
	if d == nil || !d.gate.counts(status) {
		return
	}
	ds, err := d.gate.engine.AllowAll(d.ctx, d.charges...)
	if err != nil || core.Allowed(ds) {
		return
	}
	for i, one := range ds {
		if one.Allowed {
			c := d.charges[i]
			_, _ = d.gate.engine.AllowN(d.ctx, c.Policy, c.Key, c.Cost)
		}
	}
}
