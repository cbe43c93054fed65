package sections

import (
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

var (
	login = core.Policy{Name: "login", Algorithm: core.CompactLog, Limit: 5, Window: 15 * time.Minute}
	order = core.Policy{Name: "order", Algorithm: core.LayeredWindow, Limit: 20, Window: time.Minute, FineLimit: 1}
	api   = core.PerMinute("api", 100)
	sale  = core.Policy{Name: "sale", Algorithm: core.AdaptiveWindow, Limit: 50, Window: 10 * time.Second}
	daily = core.Policy{Name: "daily", Algorithm: core.FixedWindow, Limit: 1000, Window: 24 * time.Hour}
)

// What the README says of each case happens.
func TestCases(t *testing.T) {
	now := time.Date(2030, 1, 2, 18, 0, 0, 0, time.UTC)
	rl, err := core.New(coretest.Start(t, coretest.Mini).Client(t), core.Clock(func() time.Time { return now }))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		policy core.Policy
		atOnce int64         // units that pass at once
		again  time.Duration // until one more does
	}{
		{login, 5, 15 * time.Minute},
		{order, 1, time.Second},
		{api, 100, time.Minute + time.Second},
		{sale, 50, 10 * time.Second},
		{daily, 1000, 6 * time.Hour},
	} {
		if first := allow(t, rl, c.policy, c.atOnce); !first.Allowed {
			t.Errorf("%s: %d at once were denied", c.policy.Name, c.atOnce)
		}
		if next := allow(t, rl, c.policy, 1); next.Allowed || next.RetryAfter != c.again {
			t.Errorf("%s: one more: allowed %v, retry after %v; want %v", c.policy.Name, next.Allowed, next.RetryAfter, c.again)
		}
	}
}

func allow(t *testing.T, rl *core.Limiter, p core.Policy, cost int64) core.Decision {
	t.Helper()
	d, err := rl.AllowN(t.Context(), p, "someone", cost)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
