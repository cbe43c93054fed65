package core

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// cluster is what a Limiter knows of the Redis Cluster it talks to.
type cluster struct {
	// here: keys of several slots need a call for each slot. Known from the
	// client, or from the first CROSSSLOT of a proxy that hides a cluster.
	here atomic.Bool
	// Give-backs, one for each part of a decision that was not admitted after
	// all: those that Redis confirmed, and the others.
	returned, held atomic.Int64
}

// decideAll has Redis judge charges as one decision.
func (l *Limiter) decideAll(ctx context.Context, charges []charge) ([]Decision, error) {
	if len(charges) > 1 && l.cluster.here.Load() {
		return l.decideBySlot(ctx, charges)
	}
	decisions, err := l.decide(ctx, batch{charges, []int{len(charges)}})
	if isCrossSlot(err) {
		// Nothing ran, so it may be sent again.
		l.cluster.here.Store(true)
		return l.decideBySlot(ctx, charges)
	}
	return decisions, err
}

func isCrossSlot(err error) bool {
	code, _ := redisCode(err)
	return code == "CROSSSLOT" || code == "ERR CROSSSLOT"
}

func (l *Limiter) decideBySlot(ctx context.Context, charges []charge) ([]Decision, error) {
	parts := bySlot(charges)
	if len(parts) == 1 {
		return l.decide(ctx, batch{charges, []int{len(charges)}})
	}
	if !l.enter() {
		return denials(charges), ErrClosed
	}
	defer l.working.Done()
	return l.decideAcross(ctx, charges, parts)
}

// part is those charges of a decision that live in one slot.
type part struct {
	slot    uint16
	charges []charge
	places  []int // of the charges in the decision
	at      int64 // when they were charged, µs
}

func bySlot(charges []charge) (parts []part) {
	for place, c := range charges {
		slot := slotOf(c.key)
		i := slices.IndexFunc(parts, func(p part) bool { return p.slot == slot })
		if i < 0 {
			i = len(parts)
			parts = append(parts, part{slot: slot})
		}
		parts[i].charges = append(parts[i].charges, c)
		parts[i].places = append(parts[i].places, place)
	}
	return parts
}

// spends reports whether p has anything to charge after it was looked at.
func (p *part) spends() bool {
	return slices.ContainsFunc(p.charges, func(c charge) bool { return c.cost > 0 })
}

// put places a part's decisions among those of all.
func (p *part) put(all, decisions []Decision) {
	for i, place := range p.places {
		all[place] = decisions[i]
	}
}

// decideAcross looks at all parts, and charges them one after the other if each
// has room. A look that finds none has written nothing, which is what makes
// give-backs rare.
func (l *Limiter) decideAcross(ctx context.Context, charges []charge, parts []part) ([]Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	if err := l.fieldTTL.check(ctx, l, batch{charges: charges}); err != nil {
		return outage(charges), err
	}
	all, err := l.look(ctx, charges, parts)
	if err != nil || !Allowed(all) {
		return all, err
	}
	parts = slices.DeleteFunc(parts, func(p part) bool { return !p.spends() })
	for i := range parts {
		p := &parts[i]
		decisions, at, err := l.askPart(ctx, p.charges, markCharge)
		if err != nil {
			return outage(charges), afterGivingBack(err, l.giveBack(ctx, all, parts[:i]))
		}
		p.at = at
		p.put(all, decisions)
		if !Allowed(decisions) {
			_ = l.giveBack(ctx, all, parts[:i]) // a denial is none the less true
			break
		}
	}
	return all, nil
}

// look judges all parts without charging them. Where one fails the decisions of
// the others are still theirs.
func (l *Limiter) look(ctx context.Context, charges []charge, parts []part) ([]Decision, error) {
	all, errs := make([]Decision, len(charges)), make([]error, len(parts))
	together(len(parts), func(i int) {
		decisions, _, err := l.askPart(ctx, parts[i].charges, markLook)
		if err != nil {
			decisions, errs[i] = outage(parts[i].charges), err
		}
		parts[i].put(all, decisions)
	})
	for _, err := range errs {
		if err != nil {
			return all, nothingCharged(err)
		}
	}
	return all, nil
}

// giveBack takes back what parts have been charged, and puts in all what is
// then true of them. It waits no longer than ctx lasts; the work goes on for
// as long as one decision may take.
func (l *Limiter) giveBack(ctx context.Context, all []Decision, parts []part) error {
	if len(parts) == 0 {
		return nil
	}
	type result struct {
		decisions [][]Decision
		err       error
	}
	done := make(chan result, 1)
	l.working.Go(func() {
		decisions, err := l.refund(context.WithoutCancel(ctx), parts)
		done <- result{decisions, err}
	})
	select {
	case r := <-done:
		for i, decisions := range r.decisions {
			if decisions != nil {
				parts[i].put(all, decisions)
			}
		}
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// refund sends each part's give-back once. The decisions of a part that failed
// are nil.
func (l *Limiter) refund(ctx context.Context, parts []part) ([][]Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	decisions, errs := make([][]Decision, len(parts)), make([]error, len(parts))
	together(len(parts), func(i int) {
		decisions[i], errs[i] = l.askBack(ctx, parts[i])
		if errs[i] != nil {
			l.cluster.held.Add(1)
		} else {
			l.cluster.returned.Add(1)
		}
	})
	return decisions, errors.Join(errs...)
}

// atOnce is how many calls of one decision are under way at a time.
const atOnce = 16

// together calls do for 0 to n-1, some at a time.
func together(n int, do func(i int)) {
	for first := 0; first < n; first += atOnce {
		var calls sync.WaitGroup
		for i := first; i < min(first+atOnce, n); i++ {
			calls.Go(func() { do(i) })
		}
		calls.Wait()
	}
}

// nothingCharged is the error of a look: a lost one has no unknown outcome.
func nothingCharged(err error) error {
	if errors.Is(err, ErrUnknownOutcome) {
		return reclassed(err, ErrNotExecuted)
	}
	return err
}

// afterGivingBack is the error of a charge: one that did not count leaves
// something unknown if what came before it could not be given back.
func afterGivingBack(err, failed error) error {
	if failed != nil && !errors.Is(err, ErrScript) && !errors.Is(err, ErrReply) {
		return reclassed(err, ErrUnknownOutcome)
	}
	return err
}

func reclassed(err, class error) error {
	if known, ok := errors.AsType[*outageError](err); ok {
		err = known.cause
	}
	return &outageError{class, err}
}
