package core_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// crossing is a cluster whose nodes can be disturbed, for decisions about alice
// on one node and bob on another.
type crossing struct {
	*coretest.Cluster
	rdb   *redis.ClusterClient
	truth *core.Limiter
}

func newCrossing(t *testing.T) *crossing {
	c := coretest.StartClusterBehind(t, coretest.Redis7, func(addr string) *coretest.Proxy {
		return coretest.StartProxy(t, addr, nil)
	})
	return clientsOf(t, c)
}

func clientsOf(t *testing.T, c *coretest.Cluster) *crossing {
	rdb := c.Client(t)
	return &crossing{c, rdb, newLimiter(t, rdb)}
}

const alices, bobs = 0, 1 // nodes

// people returns a new alice and a new bob.
func people() (alice, bob string) { return livingOn(alices), livingOn(bobs) }

// livingOn returns a new identity whose keys are on a node.
func livingOn(node int) string {
	for {
		who := someone()
		if slot := int(core.SlotOf("{" + who + "}")); node*16384/3 <= slot && slot < (node+1)*16384/3 {
			return who
		}
	}
}

// before has do choose the fate of a node's n-th request from now on.
func (c *crossing) before(node, n int, do func() coretest.Fault) {
	c.Proxies[node].SetFault(func(int64) coretest.Fault {
		if n--; n == 0 {
			return do()
		}
		return coretest.Fault{}
	})
}

// Requests of an AllowAll to a node, as before counts them.
const theLook, theCharge, theGiveBack = 1, 2, 3

// taking returns a step that takes the last of p from who, unseen by the proxy.
func (c *crossing) taking(t *testing.T, node int, p core.Policy, who string) func() coretest.Fault {
	l := newLimiter(t, c.Nodes[node].Client(t))
	return func() coretest.Fault {
		if d := allow(t, l, p, who, 1); !d.Allowed || d.Remaining != 0 {
			t.Errorf("%s has %+v; the story wants the last unit taken", who, d)
		}
		return coretest.Fault{}
	}
}

func failing(f coretest.Fault) func() coretest.Fault {
	return func() coretest.Fault { return f }
}

// left checks what is left of p for who.
func (c *crossing) left(t *testing.T, p core.Policy, who string, want int64) {
	t.Helper()
	if d := allow(t, c.truth, p, who, 0); d.Remaining != want {
		t.Errorf("%s: %d of %d left; want %d", p.Name, d.Remaining, p.Capacity(), want)
	}
}

func both(a, b core.Policy, alice, bob string) []core.Charge {
	return []core.Charge{{Policy: a, Key: alice, Cost: 1}, {Policy: b, Key: bob, Cost: 1}}
}

func TestAllowAllAcrossNodes(t *testing.T) {
	t.Parallel()
	c := newCrossing(t)
	for _, v := range onRedis7() { // each node knows each script: sending one counts as a request
		alice, bob := people()
		allow(t, c.truth, v.apply(core.PerHour("warm", 3)), alice, 0)
		allow(t, c.truth, v.apply(core.PerHour("warm", 3)), bob, 0)
	}
	for name, story := range map[string]func(*testing.T, *crossing){
		"one caller at a time meets the model":               modelAcross,
		"forty people are charged together or not":           forty,
		"one slot is one call":                               oneSlotIsOneCall,
		"a look that denies writes nothing":                  deniedByALook,
		"what is taken meanwhile is given back":              takenMeanwhile,
		"a lost look charges nothing":                        lostLook,
		"a lost charge gives the others back":                lostCharge,
		"a lost give-back is held for a window":              lostGiveBack,
		"a caller that leaves gets its charges back":         leavingCaller,
		"a plain client learns that this is a cluster":       plainClient,
		"an unreached give-back says the outcome is unknown": unknownAfterAll,
	} {
		t.Run(name, func(t *testing.T) {
			story(t, clientsOf(t, c.Cluster)) // none of the connections that the last story broke
			for _, proxy := range c.Proxies {
				proxy.SetFault(nil)
			}
		})
	}
}

// Without others a decision over several nodes is what it is on one server.
func modelAcross(t *testing.T, c *crossing) {
	clock := newClock()
	l := newLimiter(t, c.rdb, clock.option())
	rapid.Check(t, func(rt *rapid.T) {
		var model coretest.Model
		keys := []string{someone(), someone(), someone(), someone()}
		clock.startWindow(time.Hour)
		for range 10 {
			clock.advance(time.Duration(rapid.IntRange(0, 2_000_000).Draw(rt, "pause")) * time.Microsecond)
			for _, charges := range drawDecisions(rt, keys) {
				got, err := l.AllowAll(context.Background(), charges...)
				if err != nil {
					rt.Fatal(err)
				}
				compare(rt, got, model.Decide(clock.now.Load(), charges...))
			}
		}
	})
}

// More parts than are sent at a time.
func forty(t *testing.T, c *crossing) {
	var charges []core.Charge
	for range 40 {
		charges = append(charges, core.Charge{Policy: core.PerHour("forty", 2), Key: someone(), Cost: 1})
	}
	allow(t, c.truth, charges[39].Policy, charges[39].Key, 1)
	for _, want := range []bool{true, false} {
		ds, err := c.truth.AllowAll(t.Context(), charges...)
		if err != nil || core.Allowed(ds) != want || ds[39].Allowed != want || !ds[0].Allowed || ds[0].Remaining != 1 {
			t.Errorf("%v, %v, %v; want all allowed, then the last alone denied", ds[0], ds[39], err)
		}
	}
	c.left(t, charges[20].Policy, charges[20].Key, 1)
}

func oneSlotIsOneCall(t *testing.T, c *crossing) {
	p, known := core.PerHour("slot", 5), map[uint16]string{}
	for {
		one := someone()
		slot := core.SlotOf("{" + one + "}")
		if other, ok := known[slot]; ok {
			before := c.requests()
			ds, err := c.truth.AllowAll(t.Context(), both(p, p, one, other)...)
			if n := c.requests() - before; err != nil || !core.Allowed(ds) || n > 2 { // one, and one where the script is new
				t.Errorf("%v in %d requests, %v; want both allowed in one", ds, n, err)
			}
			return
		}
		known[slot] = one
	}
}

func (c *crossing) requests() (n int64) {
	for _, proxy := range c.Proxies {
		n += proxy.Counts().Requests
	}
	return n
}

func deniedByALook(t *testing.T, c *crossing) {
	for _, v := range onRedis7() {
		alice, bob := people()
		wide, narrow := v.apply(core.PerHour("wide", 5)), v.apply(core.PerHour("narrow", 2))
		for range 2 {
			if ds, err := c.truth.AllowAll(t.Context(), both(wide, narrow, alice, bob)...); err != nil || !core.Allowed(ds) {
				t.Fatalf("%s: %v, %v; want allowed", v.name, ds, err)
			}
		}
		before := c.dump(t, wide, alice) + c.dump(t, narrow, bob)
		ds, err := c.truth.AllowAll(t.Context(), both(wide, narrow, alice, bob)...)
		if err != nil || !ds[0].Allowed || ds[1].Allowed || ds[1].RetryAfter <= 0 || ds[0].Remaining != 3 {
			t.Errorf("%s: %+v, %v; want bob alone denied, alice with 3 left", v.name, ds, err)
		}
		if after := c.dump(t, wide, alice) + c.dump(t, narrow, bob); after != before {
			t.Errorf("%s: a denied decision wrote", v.name)
		}
	}
}

func (c *crossing) dump(t *testing.T, p core.Policy, who string) string {
	t.Helper()
	content, err := c.rdb.Dump(t.Context(), c.truth.RedisKey(p, who)).Result()
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// A unit that somebody takes between look and charge denies the decision, and
// the first key has again what it had.
func takenMeanwhile(t *testing.T, c *crossing) {
	for _, v := range onRedis7() {
		alice, bob := people()
		p := v.apply(core.PerHour("last", 3))
		allow(t, c.truth, p, alice, 1)
		allow(t, c.truth, p, bob, 2)
		l := newLimiter(t, c.rdb)
		c.before(bobs, theCharge, c.taking(t, bobs, p, bob))
		ds, err := l.AllowAll(t.Context(), both(p, p, alice, bob)...)
		if err != nil || !ds[0].Allowed || ds[1].Allowed || ds[1].RetryAfter <= 0 {
			t.Fatalf("%s: %+v, %v; want bob alone denied", v.name, ds, err)
		}
		left := int64(2)
		if p.Algorithm == core.AdaptiveWindow {
			left = 1 // takes nothing back
		}
		if ds[0].Remaining != left {
			t.Errorf("%s: alice is told %d left; want %d, as is true after the give-back", v.name, ds[0].Remaining, left)
		}
		c.left(t, p, alice, left)
		if returned, held := l.GiveBacks(); returned != 1 || held != 0 {
			t.Errorf("%s: %d given back, %d held; want 1 and 0", v.name, returned, held)
		}
	}
}

func lostLook(t *testing.T, c *crossing) {
	alice, bob := people()
	p := core.PerHour("look", 3)
	shut := p
	shut.OnOutage = core.Closed
	c.before(bobs, theLook, failing(coretest.Fault{Action: coretest.Cut}))
	ds, err := c.truth.AllowAll(t.Context(), both(p, shut, alice, bob)...)
	if !errors.Is(err, core.ErrNotExecuted) || errors.Is(err, core.ErrUnknownOutcome) {
		t.Errorf("%v; want ErrNotExecuted: a look charges nothing", err)
	}
	if ds[0].Degraded != 0 || ds[0].Remaining != 3 || ds[1].Degraded != core.FailedClosed || core.Allowed(ds) {
		t.Errorf("%+v; want alice looked at and bob refused by the outage", ds)
	}
	c.left(t, p, alice, 3)
	c.left(t, p, bob, 3)
}

func lostCharge(t *testing.T, c *crossing) {
	for _, action := range []coretest.Action{coretest.Cut, coretest.Swallow, coretest.Drop} {
		alice, bob := people()
		p := core.PerHour("charge", 3)
		l := newLimiter(t, c.rdb, core.Timeout(500*time.Millisecond))
		allow(t, c.truth, p, alice, 1)
		c.before(bobs, theCharge, failing(coretest.Fault{Action: action}))
		ds, err := l.AllowAll(t.Context(), both(p, p, alice, bob)...)
		mustSay(t, err, core.ErrUnknownOutcome)
		if ds[0].Degraded != core.FailedOpen || ds[1].Degraded != core.FailedOpen {
			t.Errorf("%+v; want the answer of an outage", ds)
		}
		l.Close() // waits for the give-back
		c.left(t, p, alice, 2)
		counted := int64(1)
		if action == coretest.Drop {
			counted = 0
		}
		c.left(t, p, bob, 3-counted)
	}
}

// What a lost give-back leaves is gone a window later, and a look says so.
func lostGiveBack(t *testing.T, c *crossing) {
	for _, a := range []core.Algorithm{core.FixedWindow, core.SlidingLog, core.SlidingWindow, core.TokenBucket, core.LeakyBucket, core.GCRA} {
		alice, bob := people()
		p := core.Policy{Name: "held", Algorithm: a, Limit: 3, Window: 2 * time.Second}
		q := core.PerHour("last", 1)
		l := newLimiter(t, c.rdb)
		c.before(bobs, theCharge, c.taking(t, bobs, q, bob))
		c.before(alices, theGiveBack, failing(coretest.Fault{Action: coretest.Drop}))
		ds, err := l.AllowAll(t.Context(), both(p, q, alice, bob)...)
		if err != nil || !ds[0].Allowed || ds[1].Allowed {
			t.Fatalf("%v: %+v, %v; want bob alone denied", a, ds, err)
		}
		if returned, held := l.GiveBacks(); returned != 0 || held != 1 {
			t.Errorf("%v: %d given back, %d held; want 0 and 1", a, returned, held)
		}
		if most := p.Window + p.Window/50; ds[0].ResetAfter > most {
			t.Errorf("%v: held for %v; want at most %v", a, ds[0].ResetAfter, most)
		}
		await(t, "the held unit to leave", func() bool { return allow(t, c.truth, p, alice, 0).Remaining == 3 })
	}
}

func leavingCaller(t *testing.T, c *crossing) {
	alice, bob := people()
	p := core.PerHour("leaving", 3)
	l := newLimiter(t, c.rdb)
	ctx, leave := context.WithCancel(t.Context())
	c.before(bobs, theCharge, func() coretest.Fault {
		leave()
		return coretest.Fault{Action: coretest.Drop}
	})
	_, err := l.AllowAll(ctx, both(p, p, alice, bob)...)
	mustSay(t, err, core.ErrUnknownOutcome)
	l.Close() // waits for the give-back
	c.left(t, p, alice, 3)
	if returned, held := l.GiveBacks(); returned != 1 || held != 0 {
		t.Errorf("%d given back, %d held; want 1 and 0", returned, held)
	}
}

// A charge that certainly did not run proves nothing about those before it, if
// they could not be given back.
func unknownAfterAll(t *testing.T, c *crossing) {
	alice, bob := people()
	p := core.PerHour("after", 3)
	l := newLimiter(t, c.rdb)
	fill := c.Nodes[bobs].Client(t)
	c.before(bobs, theCharge, func() coretest.Fault {
		fill.ConfigSet(context.Background(), "maxmemory", "1")
		return coretest.Fault{}
	})
	defer fill.ConfigSet(context.Background(), "maxmemory", "0")
	c.before(alices, theGiveBack, failing(coretest.Fault{Action: coretest.Cut}))
	_, err := l.AllowAll(t.Context(), both(p, p, alice, bob)...)
	mustSay(t, err, core.ErrUnknownOutcome, "OOM")
	if errors.Is(err, core.ErrNotExecuted) {
		t.Errorf("%v is of two classes", err)
	}
}

// A plain client in front of a cluster is told CROSSSLOT once.
func plainClient(t *testing.T, c *crossing) {
	rdb := c.Nodes[alices].Client(t)
	l, p := newLimiter(t, rdb), core.PerHour("plain", 100)
	alice, neighbour := livingOn(alices), livingOn(alices)
	for i := range int64(10) {
		ds, err := l.AllowAll(t.Context(), both(p, p, alice, neighbour)...)
		if err != nil || !core.Allowed(ds) || ds[0].Remaining != 99-i || ds[1].Remaining != 99-i {
			t.Fatalf("call %d: %+v, %v; want both charged once", i+1, ds, err)
		}
	}
	stats := rdb.Info(t.Context(), "errorstats").Val()
	if found := crossSlots.FindStringSubmatch(stats); found == nil || found[1] != "1" {
		t.Errorf("errorstats %q; want one CROSSSLOT", stats)
	}
}

var crossSlots = regexp.MustCompile(`errorstat_CROSSSLOT:count=(\d+)`)

// onRedis7 are the variants that need no field expiry.
func onRedis7() []variant {
	return slices.DeleteFunc(slices.Clone(variants), func(v variant) bool { return v.apply(core.Policy{}).FieldTTL })
}
