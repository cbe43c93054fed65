package core

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// decode reads the driver's reply to a call with this tag and these charges.
// Anything but the exact shape is an error: a reply that cannot be understood
// allows nothing.
func decode(reply any, tag int64, charges []charge) ([]Decision, error) {
	decisions, odd, err := decodeEach(reply, tag, charges)
	if err == nil && len(odd) > 0 {
		err = errOdd
	}
	if err != nil {
		return nil, err
	}
	return decisions, nil
}

// oddities are the places of charges whose numbers cannot be true, in order.
type oddities []int

var errOdd = errors.New("numbers out of range")

// within is the error of the charges from place start to before end.
func (o oddities) within(start, end int) error {
	if slices.ContainsFunc(o, func(place int) bool { return start <= place && place < end }) {
		return &outageError{ErrReply, errOdd}
	}
	return nil
}

// decodeEach is decode for charges that do not depend on each other.
func decodeEach(reply any, tag int64, charges []charge) ([]Decision, oddities, error) {
	list, ok := reply.([]any)
	if !ok {
		return nil, nil, fmt.Errorf("a %T in place of a list", reply)
	}
	in := numbers{rest: list}
	if in.next() != tag && in.err == nil {
		return nil, nil, errors.New("the answer of another call")
	}
	var odd oddities
	decisions := make([]Decision, len(charges))
	for i := range charges {
		if !in.decision(&decisions[i], &charges[i]) {
			odd = append(odd, i)
		}
	}
	if in.err == nil && len(in.rest) > 0 {
		in.err = fmt.Errorf("%d numbers too many", len(in.rest))
	}
	if in.err != nil {
		return nil, nil, in.err
	}
	return decisions, odd, nil
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
// one that has not: see driver.lua. It reports whether they can be true.
func (in *numbers) decision(d *Decision, c *charge) bool {
	head, next, reset, retry := in.next(), in.next(), in.next(), int64(0)
	denied := head&1 == 1
	if denied {
		retry = in.next()
	}
	*d = Decision{
		Policy: c.plan.policy, Cost: c.cost, Allowed: !denied, Remaining: head >> 2, Repaired: head&2 != 0,
		RetryAfter: micros(retry), NextAfter: micros(next), ResetAfter: micros(reset),
	}
	if retry < 0 {
		d.RetryAfter = Never
	}
	return sensible(d, retry)
}

// sensible reports whether the numbers of a reply can be true together.
func sensible(d *Decision, retry int64) bool {
	return d.Remaining >= 0 && d.Remaining <= d.Policy.Capacity() &&
		0 <= d.NextAfter && d.NextAfter <= d.ResetAfter && d.ResetAfter <= micros(longest) &&
		(d.Allowed || retry == -1 || 0 < retry && retry <= longest)
}

// longest is the longest wait of any policy, in µs: about 142 years.
const longest = 1 << 52

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
