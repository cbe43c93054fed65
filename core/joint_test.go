package core_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// Decisions over several policies and identities, single and in batches, agree
// with the model: all or nothing, in order, peeks among them.
func TestJointDecisionsAgreeWithTheModel(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		t.Parallel()
		c := newClock()
		l := limiter(t, s, c.option())
		rapid.Check(t, func(rt *rapid.T) {
			var model coretest.Model
			keys := []string{someone(), someone()}
			c.startWindow(time.Hour)
			for range 40 {
				c.advance(time.Duration(rapid.IntRange(0, 2_000_000).Draw(rt, "pause")) * time.Microsecond)
				decisions := drawDecisions(rt, keys)
				got, err := l.Decide(context.Background(), decisions...)
				if err != nil {
					rt.Fatal(err)
				}
				for i, charges := range decisions {
					compare(rt, got[i], model.Decide(c.now.Load(), charges...))
				}
			}
		})
	})
}

func drawDecisions(rt *rapid.T, keys []string) [][]core.Charge {
	decisions := make([][]core.Charge, rapid.IntRange(1, 4).Draw(rt, "decisions"))
	for i := range decisions {
		policies := rapid.SliceOfNDistinct(rapid.IntRange(0, len(jointPolicies)-1), 1, 5, rapid.ID[int]).Draw(rt, "policies")
		for _, n := range policies {
			decisions[i] = append(decisions[i], core.Charge{
				Policy: jointPolicies[n], Key: rapid.SampledFrom(keys).Draw(rt, "key"),
				Cost: rapid.Int64Range(0, 4).Draw(rt, "cost"),
			})
		}
	}
	return decisions
}

var jointPolicies = []core.Policy{
	{Name: "fixed", Algorithm: core.FixedWindow, Limit: 20, Window: 7 * time.Second},
	{Name: "log", Algorithm: core.SlidingLog, Limit: 15, Window: 5 * time.Second},
	{Name: "compact", Algorithm: core.CompactLog, Limit: 13, Window: 5 * time.Second},
	{Name: "window", Limit: 18, Window: 6 * time.Second},
	{Name: "token", Algorithm: core.TokenBucket, Limit: 7, Window: 3 * time.Second, Burst: 12},
	{Name: "leaky", Algorithm: core.LeakyBucket, Limit: 11, Window: 4 * time.Second},
	{Name: "gcra", Algorithm: core.GCRA, Limit: 9, Window: 4 * time.Second, Burst: 14},
	{Name: "adaptive", Algorithm: core.AdaptiveWindow, Limit: 16, Window: 5 * time.Second},
	{Name: "layers", Algorithm: core.LayeredWindow, Limit: 16, Window: 6 * time.Second, CoarseLimit: 8, FineLimit: 5},
}

func compare(rt *rapid.T, got, want []core.Decision) {
	if len(got) != len(want) {
		rt.Fatalf("%d decisions, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			rt.Fatalf("charge %d\n got %s\nwant %s", i, show(got[i]), show(want[i]))
		}
	}
}

// A denial by one policy leaves the others untouched, and says who denied.
func TestAllOrNothing(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		l, key := limiter(t, s), someone()
		wide, narrow := core.PerHour("wide", 100), core.PerHour("narrow", 2)
		charges := []core.Charge{{Policy: wide, Key: key, Cost: 1}, {Policy: narrow, Key: key, Cost: 1}}
		for i, want := range []bool{true, true, false, false} {
			ds, err := l.AllowAll(context.Background(), charges...)
			if err != nil || core.Allowed(ds) != want {
				t.Fatalf("call %d: allowed %v, %v; want %v", i+1, core.Allowed(ds), err, want)
			}
			if !want && (!ds[0].Allowed || ds[1].Allowed) {
				t.Errorf("call %d: wide %v, narrow %v; want only narrow to deny", i+1, ds[0].Allowed, ds[1].Allowed)
			}
		}
		d, err := l.Peek(context.Background(), wide, key)
		if err != nil || d.Remaining != 98 {
			t.Errorf("wide has %d left, %v; want 98: it was charged for what narrow denied", d.Remaining, err)
		}
	})
}

// Charges of one policy and key are judged as their sum.
func TestAllowAllAddsUpOneKey(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		l, key, p := limiter(t, s), someone(), core.PerHour("sum", 5)
		twice := []core.Charge{{p, key, 2}, {p, key, 2}}
		first, err := l.AllowAll(context.Background(), twice...)
		if err != nil || !core.Allowed(first) || first[1].Remaining != 1 || first[1].Cost != 2 {
			t.Fatalf("got %+v, %v; want both allowed, 1 left", first, err)
		}
		second, err := l.AllowAll(context.Background(), twice...)
		if err != nil || core.Allowed(second) || second[0].Allowed {
			t.Fatalf("got %+v, %v; want both denied: 4 do not fit into 1", second, err)
		}
	})
}

func TestAllowAllRefusesWhatItCannotJudge(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		l, p := limiter(t, s), core.PerHour("p", 5)
		other := p
		other.Limit = 6
		for name, charges := range map[string][]core.Charge{
			"no charges":              nil,
			"one name, two policies":  {{p, "k", 1}, {other, "k", 1}},
			"an empty key among them": {{p, "k", 1}, {other, "", 1}},
			"a negative cost":         {{p, "k", 1}, {core.PerDay("d", 1), "k", -1}},
		} {
			ds, err := l.AllowAll(context.Background(), charges...)
			var bad *core.ArgumentError
			if !errors.As(err, &bad) || core.Allowed(ds) || len(ds) != len(charges) {
				t.Errorf("%s: %v, %v; want denials and an ArgumentError", name, ds, err)
			}
		}
		if d := allow(t, l, p, "k", 0); d.Remaining != 5 {
			t.Errorf("%d left; want 5: a refused decision charged", d.Remaining)
		}
	})
}
