package core

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Marks of charges of decisions over several slots: see driver.lua.
const (
	markLook   = " ?"
	markCharge = " @"
	markBack   = " -" // and the instant of the charge
)

// askPart has Redis judge charges of one slot as one decision, marked as a look
// or a charge; for a charge it also returns the instant, in µs.
func (l *Limiter) askPart(ctx context.Context, charges []charge, mark string) (ds []Decision, at int64, err error) {
	b := batch{charges, []int{len(charges)}}
	tag, args := l.markedArgs(b, 1, mark)
	reply, err := l.run(ctx, b.script(), args)
	if err != nil {
		return nil, 0, err
	}
	if mark == markCharge {
		reply, at = cutInstant(reply)
	}
	ds, err = decode(reply, tag, charges)
	if err == nil && mark == markCharge && at <= 0 {
		err = errors.New("no instant after the numbers")
	}
	if err != nil {
		return nil, 0, &outageError{ErrReply, err}
	}
	return ds, at, nil
}

// askBack gives back what p was charged, and returns what is then true of it.
func (l *Limiter) askBack(ctx context.Context, p part) ([]Decision, error) {
	b := batch{p.charges, slices.Repeat([]int{1}, len(p.charges))}
	tag, args := l.markedArgs(b, len(p.charges), markBack+decimal(p.at))
	reply, err := l.run(ctx, b.script(), args)
	if err != nil {
		return nil, err
	}
	ds, err := decode(reply, tag, p.charges)
	if err != nil {
		return nil, &outageError{ErrReply, err}
	}
	return ds, nil
}

// markedArgs are b's arguments with a mark on the last n charges. A marked
// charge names its policy.
func (l *Limiter) markedArgs(b batch, n int, mark string) (tag int64, args []any) {
	tag = l.nextTag()
	args = b.args(tag, l.clock())
	for i := len(args) - n; i < len(args); i++ {
		text := args[i].(string)
		if !strings.Contains(text, " ") {
			text = "1 " + text
		}
		args[i] = text + mark
	}
	return tag, args
}

// cutInstant takes the last number off a reply.
func cutInstant(reply any) (any, int64) {
	list, ok := reply.([]any)
	if !ok || len(list) == 0 {
		return reply, 0
	}
	at, _ := list[len(list)-1].(int64)
	return list[:len(list)-1], at
}
