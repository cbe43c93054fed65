package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/slidegate/slidegate/core"
)

// A lane is one policy that runs against all traffic.
type lane struct {
	Label  string
	Policy core.Policy
}

// A leftOut is a lane that cannot run.
type leftOut struct{ label, why string }

// sentences name what is left out, each reason once.
func sentences(out []leftOut) (list []string) {
	labels := map[string]string{}
	for _, l := range out {
		if labels[l.why] == "" {
			list = append(list, l.why)
			labels[l.why] = l.label
		} else {
			labels[l.why] += "; " + l.label
		}
	}
	for i, why := range list {
		list[i] = labels[why] + ": " + why
	}
	return list
}

// variants are the algorithms, and the settings that change what they admit. A
// policy without an algorithm of its own runs as each of them. What this version
// of the library refuses, or the server cannot do, is left out with its reason.
var variants = []core.Policy{
	{Algorithm: core.SlidingWindow},
	{Algorithm: core.SlidingWindow, SubWindows: 600},
	{Algorithm: core.SlidingWindow, FieldTTL: true},
	{Algorithm: core.SlidingWindow, Edge: core.Weighted},
	{Algorithm: core.AdaptiveWindow},
	{Algorithm: core.LayeredWindow},
	{Algorithm: core.SlidingLog},
	{Algorithm: core.CompactLog},
	{Algorithm: core.FixedWindow},
	{Algorithm: core.TokenBucket},
	{Algorithm: core.LeakyBucket},
	{Algorithm: core.GCRA},
}

// lanes returns the policies that were asked for, and why any is left out. One
// that the user spelled out whole must be valid; else the error says why not.
func lanes(asked []request) (run []lane, out []leftOut, err error) {
	for _, r := range asked {
		for _, p := range r.policies() {
			l := lane{label(p), p}
			if len(asked) > 1 {
				l.Label = p.Name + ": " + l.Label
			}
			switch err := p.Validate(); {
			case err == nil:
				run = append(run, l)
			case !r.every:
				return nil, nil, usageError{err}
			default:
				out = append(out, leftOut{l.Label, refusal(err)})
			}
		}
	}
	if len(run) == 0 {
		return nil, nil, usageError{fmt.Errorf("no algorithm takes this policy: %s", strings.Join(sentences(out), "; "))}
	}
	return run, out, nil
}

// refusal is why Validate refuses a policy that nobody spelled out.
func refusal(err error) string {
	bad, ok := errors.AsType[*core.PolicyError](err)
	if !ok || bad.Field == "Algorithm" {
		return "this version of the library does not have it"
	}
	return fmt.Sprintf("%s is %v; want %s", bad.Field, bad.Value, bad.Want)
}

// label is the algorithm, and every setting of p that is not its zero value.
func label(p core.Policy) string {
	text := p.Algorithm.String()
	for _, f := range fields {
		if value := f.show(p); value != "" && f.name != "algorithm" {
			text += ", " + f.name + " " + value
		}
	}
	return strings.ReplaceAll(text, "field-ttl true", "FieldTTL")
}

// guarantee is what the algorithm promises, L being the limit.
func guarantee(p core.Policy) string {
	switch p.Algorithm {
	case core.SlidingWindow:
		if p.Edge == core.Weighted {
			return "L for an even client, up to 2 L around the edge"
		}
		return "never more than L in any window"
	case core.SlidingLog, core.CompactLog:
		return "exactly L in any window"
	case core.FixedWindow:
		return "L in each window of the clock"
	case core.TokenBucket, core.LeakyBucket, core.GCRA:
		return "L per window evenly, and Burst at once"
	case core.AdaptiveWindow:
		return "never more than L in any window"
	case core.LayeredWindow:
		return "never more than L in any window, nor than each part's own limit"
	}
	return ""
}

// minimumServer is the oldest server that can run p.
func minimumServer(p core.Policy) string {
	if p.FieldTTL {
		return "Redis 7.4, Valkey 9"
	}
	return "Redis 7, Valkey"
}

// parts is the number of sub-windows that an attacker reckons with.
func parts(p core.Policy) int64 {
	switch p.Algorithm {
	case core.AdaptiveWindow: // at its widest, while it is quiet
		return cmp.Or(int64(p.MinSubWindows), min(15, cmp.Or(int64(p.SubWindows), 15)))
	case core.LayeredWindow:
		coarse := cmp.Or(int64(p.SubWindows), divisor(p.Window.Microseconds(), 6))
		return coarse * cmp.Or(int64(p.FineWindows), divisor(p.Window.Microseconds()/coarse, 10))
	}
	return cmp.Or(int64(p.SubWindows), divisor(p.Window.Microseconds(), 60))
}

// divisor is the largest number up to most that divides n.
func divisor(n, most int64) int64 {
	for n%most != 0 {
		most--
	}
	return most
}
