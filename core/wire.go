package core

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slidegate/slidegate/scripts"
)

// wireForm is how an algorithm appears in scripts and keys. The version in the
// key grows when the state changes shape, so that old state is left to expire.
type wireForm struct {
	set     scripts.Set
	tag     string
	version string
	fields  func(Policy) []int64
	expiry  func(Policy) time.Duration // nil where the script computes it
}

var wireForms = map[Algorithm]wireForm{
	SlidingWindow:  {scripts.SlidingWindow, "sw", "1", windowFields, slidingExpiry},
	SlidingLog:     {scripts.SlidingLog, "sl", "1", plainFields, logExpiry},
	CompactLog:     {scripts.CompactLog, "cl", "1", plainFields, logExpiry},
	FixedWindow:    {scripts.FixedWindow, "fw", "1", plainFields, nil},
	TokenBucket:    {scripts.TokenBucket, "tb", "1", rateFields, nil},
	LeakyBucket:    {scripts.LeakyBucket, "lb", "1", rateFields, nil},
	GCRA:           {scripts.GCRA, "gc", "1", rateFields, nil},
	AdaptiveWindow: {scripts.AdaptiveWindow, "aw", "1", adaptiveFields, logExpiry},
	LayeredWindow:  {scripts.LayeredWindow, "lw", "1", layerFields, layeredExpiry},
}

// fieldForm is SlidingWindow with FieldTTL: a hash in place of a string.
var fieldForm = wireForm{scripts.FieldWindow, "sf", "1", windowFields, slidingExpiry}

func formOf(p Policy) wireForm {
	if p.FieldTTL {
		return fieldForm
	}
	return wireForms[p.Algorithm]
}

func plainFields(p Policy) []int64 {
	return []int64{p.Limit, p.Window.Microseconds()}
}

func rateFields(p Policy) []int64 {
	r := p.rate()
	return []int64{p.Capacity(), r.whole, r.rest, r.den}
}

func windowFields(p Policy) []int64 {
	return append(plainFields(p), p.width(), int64(p.Edge))
}

// A second more than the state lives, for a replica whose clock is ahead.
func logExpiry(p Policy) time.Duration { return p.Window + time.Second }

func slidingExpiry(p Policy) time.Duration {
	return p.Window + time.Duration(p.width())*time.Microsecond + time.Second
}

// plan is a checked policy in wire form.
type plan struct {
	policy Policy
	set    scripts.Set
	suffix string // of the Redis key
	args   []any  // tag, expiry and fields, as strings
}

func newPlan(p Policy) (*plan, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	form := formOf(p)
	args := []any{form.tag, "0"}
	if form.expiry != nil {
		args[1] = decimal((form.expiry(p).Microseconds() + 999) / 1000)
	}
	for _, field := range form.fields(p) {
		args = append(args, decimal(field))
	}
	return &plan{p, form.set, p.Name + "." + form.tag + form.version, args}, nil
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// plans remembers checked policies: a policy is used for many decisions. An
// app that computes policies without end costs at most maxPlans of memory.
type plans struct {
	known sync.Map // Policy → *plan
	count atomic.Int64
}

const maxPlans = 4096

func (ps *plans) of(p Policy) (*plan, error) {
	if known, ok := ps.known.Load(p); ok {
		return known.(*plan), nil
	}
	fresh, err := newPlan(p)
	if err != nil {
		return nil, err
	}
	if ps.count.Add(1) > maxPlans {
		ps.known.Clear()
		ps.count.Store(1)
	}
	ps.known.Store(p, fresh)
	return fresh, nil
}

// charge is a Charge ready to send.
type charge struct {
	plan *plan
	key  string // Redis key
	cost int64
}

// batch is what one script call judges: decisions of one or more charges each.
type batch struct {
	charges []charge
	sizes   []int // charges per decision
}

// script returns the script with the algorithms that b needs, and no others.
func (b batch) script() *scripts.Script {
	var set scripts.Set
	for _, c := range b.charges {
		set |= c.plan.set
	}
	return scripts.For(set)
}

// args returns the arguments after EVALSHA's hash: numkeys, KEYS and ARGV as
// scripts/driver.lua wants them. tag is echoed; now is 0 for Redis's own time.
func (b batch) args(tag, now int64) []any {
	args := make([]any, 0, 12+2*len(b.charges))
	args = append(args, len(b.charges))
	for i := range b.charges {
		args = append(args, b.charges[i].key)
	}
	args = append(args, tag, now)
	args, numbers := b.appendPolicies(args)
	next := 0
	for _, size := range b.sizes {
		for i, c := range b.charges[next : next+size] {
			args = append(args, chargeArg(numbers.of(c.plan), c.cost, i+1 < size))
		}
		next += size
	}
	return args
}

// appendPolicies sends each distinct policy once.
func (b batch) appendPolicies(args []any) ([]any, numbering) {
	var numbers numbering
	count := len(args)
	args = append(args, 0)
	for i := range b.charges {
		if plan := b.charges[i].plan; numbers.of(plan) == 0 {
			numbers = append(numbers, plan)
			args = append(args, plan.args...)
		}
	}
	args[count] = len(numbers)
	return args, numbers
}

// numbering numbers the policies of a call from 1. Calls have few.
type numbering []*plan

func (n numbering) of(p *plan) int { return slices.Index(n, p) + 1 }

// plainCosts are the texts of costs that most charges have, made once.
var plainCosts = func() (texts [16]any) {
	for cost := range texts {
		texts[cost] = decimal(int64(cost))
	}
	return texts
}()

func chargeArg(policy int, cost int64, more bool) any {
	if policy == 1 && cost < int64(len(plainCosts)) && !more {
		return plainCosts[cost]
	}
	return chargeText(policy, cost, more)
}

// chargeText is "policy cost", and " &" where the decision has more charges;
// for the first policy alone, which most calls are about, "cost" is enough.
func chargeText(policy int, cost int64, more bool) string {
	text := decimal(min(cost, biggest+1))
	switch {
	case more:
		return decimal(int64(policy)) + " " + text + " &"
	case policy > 1:
		return decimal(int64(policy)) + " " + text
	}
	return text
}
