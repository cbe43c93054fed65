package core

import (
	"errors"
	"fmt"
	"time"
)

// decode reads the driver's reply to a call with this tag and these charges.
// Anything but the exact shape is an error: a reply that cannot be understood
// allows nothing.
func decode(reply any, tag int64, charges []charge) ([]Decision, error) {
	list, ok := reply.([]any)
	if !ok {
		return nil, fmt.Errorf("a %T in place of a list", reply)
	}
	in := numbers{rest: list}
	if in.next() != tag && in.err == nil {
		return nil, errors.New("the answer of another call")
	}
	decisions := make([]Decision, len(charges))
	for i, c := range charges {
		decisions[i] = in.decision(c)
	}
	if in.err == nil && len(in.rest) > 0 {
		return nil, fmt.Errorf("%d numbers too many", len(in.rest))
	}
	if in.err != nil {
		return nil, in.err
	}
	return decisions, nil
}

// numbers takes integers from a reply; the first failure stays in err.
type numbers struct {
	rest []any
	err  error
}

func (in *numbers) next() int64 {
	if in.err != nil {
		return 0
	}
	if len(in.rest) == 0 {
		in.err = errors.New("too few numbers")
		return 0
	}
	n, ok := in.rest[0].(int64)
	if !ok {
		in.err = fmt.Errorf("a %T in place of a number", in.rest[0])
	}
	in.rest = in.rest[1:]
	return n
}

// decision takes the three numbers of a charge that has room, or the four of
// one that has not: see driver.lua.
func (in *numbers) decision(c charge) Decision {
	head, next, reset, retry := in.next(), in.next(), in.next(), int64(0)
	denied := head&1 == 1
	if denied {
		retry = in.next()
	}
	d := Decision{
		Policy: c.plan.policy, Cost: c.cost, Allowed: !denied, Remaining: head >> 2, Repaired: head&2 != 0,
		RetryAfter: micros(retry), NextAfter: micros(next), ResetAfter: micros(reset),
	}
	if retry < 0 {
		d.RetryAfter = Never
	}
	if in.err == nil && !sensible(d, retry) {
		in.err = errors.New("numbers out of range")
	}
	return d
}

// sensible reports whether the numbers of a reply can be true together.
func sensible(d Decision, retry int64) bool {
	return d.Remaining >= 0 && d.Remaining <= d.Policy.Capacity() &&
		0 <= d.NextAfter && d.NextAfter <= d.ResetAfter && d.ResetAfter <= micros(longest) &&
		(d.Allowed || retry == -1 || 0 < retry && retry <= longest)
}

// longest is the longest wait of any policy, in µs: about 142 years.
const longest = 1 << 52

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
