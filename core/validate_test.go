package core_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

func TestPoliciesThatCannotBeUsed(t *testing.T) {
	const day = 24 * time.Hour
	ok := core.PerMinute("api", 100)
	layers := core.Policy{Name: "l", Algorithm: core.LayeredWindow, Limit: 100, Window: time.Minute}
	token := core.Policy{Name: "t", Algorithm: core.TokenBucket, Limit: 7, Window: time.Minute}
	adaptive := core.Policy{Name: "aw", Algorithm: core.AdaptiveWindow, Limit: 100, Window: time.Minute}
	for _, c := range []struct {
		field, says string
		base        core.Policy
		change      func(*core.Policy)
	}{
		{"Name", `""`, ok, func(p *core.Policy) { p.Name = "" }},
		{"Name", `a\r\nb`, ok, func(p *core.Policy) { p.Name = "a\r\nb" }},
		{"Name", `a\"b`, ok, func(p *core.Policy) { p.Name = `a"b` }},
		{"Name", "ä", ok, func(p *core.Policy) { p.Name = "ä" }},
		{"Name", "{x}", ok, func(p *core.Policy) { p.Name = "{x}" }},
		{"Name", "64 characters", ok, func(p *core.Policy) { p.Name = strings.Repeat("a", 65) }},
		{"Algorithm", "Algorithm(99)", ok, func(p *core.Policy) { p.Algorithm = 99 }},
		{"Limit", "is 0", ok, func(p *core.Policy) { p.Limit = 0 }},
		{"Limit", "is -5", ok, func(p *core.Policy) { p.Limit = -5 }},
		{"Limit", "9223372036854775807", ok, func(p *core.Policy) { p.Limit = math.MaxInt64 }},
		{"Limit", "1000001", ok, func(p *core.Policy) { p.Algorithm, p.Limit = core.SlidingLog, 1_000_001 }},
		{"Limit", "at most 11184805 for CompactLog", ok, func(p *core.Policy) { p.Algorithm, p.Limit = core.CompactLog, 11_184_806 }},
		{"Window", "is 0s", ok, func(p *core.Policy) { p.Window = 0 }},
		{"Window", "999µs", ok, func(p *core.Policy) { p.Window = 999 * time.Microsecond }},
		{"Window", "-1s", ok, func(p *core.Policy) { p.Window = -time.Second }},
		{"Window", "366 days", ok, func(p *core.Policy) { p.Window = 366*day + time.Microsecond }},
		{"Window", "whole microseconds", ok, func(p *core.Policy) { p.Window = time.Second + 1 }},
		{"Burst", "is -1", token, func(p *core.Policy) { p.Burst = -1 }},
		{"Burst", "SlidingWindow", ok, func(p *core.Policy) { p.Burst = 5 }},
		{"Burst", "9223372036854775807", token, func(p *core.Policy) { p.Burst = math.MaxInt64 }},
		{"SubWindows", "is -1", ok, func(p *core.Policy) { p.SubWindows = -1 }},
		{"SubWindows", "is 7", ok, func(p *core.Policy) { p.SubWindows = 7 }},
		{"SubWindows", "10001", ok, func(p *core.Policy) { p.SubWindows = 10_001 }},
		{"MinSubWindows", "AdaptiveWindow", ok, func(p *core.Policy) { p.MinSubWindows = 2 }},
		{"NarrowAbove", "AdaptiveWindow", ok, func(p *core.Policy) { p.NarrowAbove = 2 }},
		{"WidenBelow", "is -1", ok, func(p *core.Policy) { p.WidenBelow = -1 }},
		{"MinSubWindows", "at most SubWindows (4)", adaptive, func(p *core.Policy) { p.SubWindows, p.MinSubWindows = 4, 5 }},
		{"MinSubWindows", "(10000)", adaptive, func(p *core.Policy) { p.MinSubWindows = 10_001 }},
		{"SubWindows", "10001", adaptive, func(p *core.Policy) { p.SubWindows = 10_001 }},
		{"WidenBelow", "at most NarrowAbove (3)", adaptive, func(p *core.Policy) { p.NarrowAbove, p.WidenBelow = 3, 4 }},
		{"FineWindows", "LayeredWindow", ok, func(p *core.Policy) { p.FineWindows = 2 }},
		{"CoarseLimit", "LayeredWindow", ok, func(p *core.Policy) { p.CoarseLimit = 2 }},
		{"FineLimit", "LayeredWindow", token, func(p *core.Policy) { p.FineLimit = 2 }},
		{"SubWindows", "is 7", layers, func(p *core.Policy) { p.SubWindows = 7 }},
		{"FineWindows", "a coarse part (10s)", layers, func(p *core.Policy) { p.FineWindows = 3 }},
		{"FineWindows", "1 to 1000 with 10 coarse parts: 10000", layers, func(p *core.Policy) { p.SubWindows, p.FineWindows = 10, 1001 }},
		{"FineWindows", "1 to 1666", layers, func(p *core.Policy) { p.FineWindows = math.MaxInt }},
		{"FineWindows", "is -1", layers, func(p *core.Policy) { p.FineWindows = -1 }},
		{"CoarseLimit", "Limit (100): thresholds out of order", layers, func(p *core.Policy) { p.CoarseLimit = 101 }},
		{"FineLimit", "Limit (100): thresholds out of order", layers, func(p *core.Policy) { p.FineLimit = 101 }},
		{"FineLimit", "CoarseLimit (5): thresholds out of order", layers, func(p *core.Policy) { p.CoarseLimit, p.FineLimit = 5, 6 }},
		{"SubWindows", "TokenBucket", token, func(p *core.Policy) { p.SubWindows = 6 }},
		{"Edge", "Edge(9)", ok, func(p *core.Policy) { p.Edge = 9 }},
		{"Edge", "TokenBucket", token, func(p *core.Policy) { p.Edge = core.Weighted }},
		{"FieldTTL", "TokenBucket", token, func(p *core.Policy) { p.FieldTTL = true }},
		{"OnOutage", "Local", ok, func(p *core.Policy) { p.OnOutage = core.Local }},
		{"OnOutage", "OutageMode(9)", ok, func(p *core.Policy) { p.OnOutage = 9 }},
		{"Limit", "weighted edge", ok, func(p *core.Policy) { p.Edge, p.Limit = core.Weighted, 1<<40 }},
		{"Limit", "999999999989 per 1m0s", token, func(p *core.Policy) { p.Limit = 999_999_999_989 }},
		{"Burst", "7 per 1m0s", token, func(p *core.Policy) { p.Burst = 1 << 45 }},
	} {
		p := c.base
		c.change(&p)
		var bad *core.PolicyError
		if err := p.Validate(); !errors.As(err, &bad) {
			t.Errorf("%+v: %v; want a PolicyError about %s", p, err, c.field)
			continue
		}
		text := bad.Error()
		if bad.Field != c.field || !strings.Contains(text, c.says) || !strings.HasPrefix(text, "slidegate/core: policy ") || bad.Want == "" || strings.ContainsAny(text, "\r\n") {
			t.Errorf("%+v\n  says %q about %s\n  want %q about %s", p, text, bad.Field, c.says, c.field)
		}
	}
}

func TestPoliciesThatCanBeUsed(t *testing.T) {
	for name, p := range map[string]core.Policy{
		"per second":            core.PerSecond("a", 1),
		"per day":               core.PerDay(strings.Repeat("z", 64), 999_983),
		"the largest limit":     core.PerDay("a", 1<<50),
		"the least window":      {Name: "a", Limit: 1, Window: time.Millisecond},
		"the longest window":    {Name: "a", Limit: 1, Window: 366 * 24 * time.Hour},
		"a prime window":        {Name: "a", Limit: 1, Window: 1_000_003 * time.Microsecond},
		"a billion per second":  {Name: "a", Algorithm: core.GCRA, Limit: 1_000_000_000, Window: time.Second},
		"a weighted daily":      {Name: "a", Limit: 999_983, Window: 24 * time.Hour, Edge: core.Weighted, SubWindows: 24},
		"a large prime per day": {Name: "a", Algorithm: core.LeakyBucket, Limit: 999_983, Window: 24 * time.Hour, Burst: 1_000_000},
		"ten thousand parts":    {Name: "a", Limit: 100, Window: time.Second, SubWindows: 10_000},
		"an adaptive default":   {Name: "a", Algorithm: core.AdaptiveWindow, Limit: 1, Window: time.Millisecond},
		"adaptive, a threshold": {Name: "a", Algorithm: core.AdaptiveWindow, Limit: 100_000, Window: time.Hour, NarrowAbove: 5},
		"adaptive, one part":    {Name: "a", Algorithm: core.AdaptiveWindow, Limit: 9, Window: time.Hour, SubWindows: 1},
		"layers":                {Name: "a", Algorithm: core.LayeredWindow, Limit: 9, Window: time.Minute, CoarseLimit: 9, FineLimit: 9},
		"layers of a prime":     {Name: "a", Algorithm: core.LayeredWindow, Limit: 1, Window: 1_000_003 * time.Microsecond},
		"the most layers":       {Name: "a", Algorithm: core.LayeredWindow, Limit: 1 << 50, Window: 24 * time.Hour, SubWindows: 100, FineWindows: 100},
		"coarse parts alone":    {Name: "a", Algorithm: core.LayeredWindow, Limit: 1, Window: time.Minute, SubWindows: 10_000},
		"a ring of 64 MiB":      {Name: "a", Algorithm: core.CompactLog, Limit: 11_184_805, Window: time.Hour},
		"a log of a million":    {Name: "a", Algorithm: core.SlidingLog, Limit: 1_000_000, Window: time.Hour},
	} {
		if err := p.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestConstructors(t *testing.T) {
	for window, p := range map[time.Duration]core.Policy{
		time.Second: core.PerSecond("p", 3), time.Minute: core.PerMinute("p", 3),
		time.Hour: core.PerHour("p", 3), 24 * time.Hour: core.PerDay("p", 3),
	} {
		if p != (core.Policy{Name: "p", Limit: 3, Window: window}) {
			t.Errorf("%v: %+v", window, p)
		}
	}
}
