package core_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// schedulesTried is how many schedules the search for the worst one tries for
// each policy, by the model, which the scripts agree with.
const schedulesTried = 100_000

// neverAbove are the algorithms that promise no more than Limit in any Window,
// in shapes with few and with many edges.
var neverAbove = []core.Policy{
	{Algorithm: core.SlidingLog, Limit: 7, Window: time.Second},
	{Algorithm: core.CompactLog, Limit: 9, Window: time.Second},
	{Limit: 7, Window: time.Second, SubWindows: 4},
	{Limit: 50, Window: time.Second, SubWindows: 10},
	{Algorithm: core.AdaptiveWindow, Limit: 12, Window: time.Second},
	{Algorithm: core.AdaptiveWindow, Limit: 40, Window: time.Second, SubWindows: 16, MinSubWindows: 1, NarrowAbove: 3, WidenBelow: 2},
	{Algorithm: core.LayeredWindow, Limit: 20, Window: time.Second, SubWindows: 4, FineWindows: 5},
	{Algorithm: core.LayeredWindow, Limit: 12, Window: time.Second, SubWindows: 2, FineWindows: 4, CoarseLimit: 9, FineLimit: 5},
}

// above are those that promise less: the search has to find out.
var above = []struct {
	policy core.Policy
	most   int64 // what they promise never to exceed
}{
	{core.Policy{Algorithm: core.FixedWindow, Limit: 10, Window: time.Second}, 20},
	{core.Policy{Limit: 10, Window: time.Second, SubWindows: 4, Edge: core.Weighted}, 20},
	{core.Policy{Algorithm: core.TokenBucket, Limit: 10, Window: time.Second}, 20},
	{core.Policy{Algorithm: core.GCRA, Limit: 10, Window: time.Second}, 20},
}

// No schedule gets more than Limit into any window, of those that a search
// finds: by the model for 100,000 of them, by the scripts for the worst.
func TestNoScheduleGetsMoreThanTheLimit(t *testing.T) {
	for i, p := range neverAbove {
		p.Name = fmt.Sprint("worst-", i)
		t.Run(fmt.Sprint(p.Algorithm, p.SubWindows), func(t *testing.T) {
			t.Parallel()
			peak := worstOn(t, p)
			t.Logf("peak / limit = %.3f in %d schedules", float64(peak)/float64(p.Limit), schedulesTried)
			if peak != p.Limit {
				t.Errorf("the fullest window held %d; want %d, and no less from an attacker", peak, p.Limit)
			}
		})
	}
}

// The same search finds nearly twice the limit where that is possible, so that
// finding nothing means something.
func TestTheSearchFindsWhatThereIs(t *testing.T) {
	for i, c := range above {
		c.policy.Name = fmt.Sprint("found-", i)
		t.Run(fmt.Sprint(c.policy.Algorithm, c.policy.Edge), func(t *testing.T) {
			t.Parallel()
			peak := worstOn(t, c.policy)
			t.Logf("peak / limit = %.3f in %d schedules", float64(peak)/float64(c.policy.Limit), schedulesTried)
			if peak > c.most || peak < c.most*9/10 {
				t.Errorf("the fullest window held %d; want nearly %d and no more", peak, c.most)
			}
		})
	}
}

// worstOn returns the fullest window of the worst schedules on every server.
func worstOn(t *testing.T, p core.Policy) (peak int64) {
	worst := coretest.Search(p, schedulesTried, 1)
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		var now int64
		l := limiter(t, s, core.Clock(func() time.Time { return time.UnixMicro(now) }))
		for _, schedule := range worst {
			key := someone()
			admitted := schedule.Run(p, func(at, cost int64) bool {
				now = at
				return allow(t, l, p, key, cost).Allowed
			})
			peak = max(peak, coretest.Peak(p, admitted))
		}
	})
	return peak
}
