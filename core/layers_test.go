package core_test

import (
	"fmt"
	"maps"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// minuteOfSeconds has six coarse parts of ten seconds, each of ten fine ones.
var minuteOfSeconds = core.Policy{Name: "layers", Algorithm: core.LayeredWindow, Limit: 100, Window: time.Minute}

// Who looks into Redis finds the totals of both layers, as scripts/layers.lua
// says.
func TestBothLayersStandInTheHash(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		c, rdb, key := newClock(), s.Client(t), someone()
		c.startWindow(24 * time.Hour)
		second := c.time().Unix()
		l := limiter(t, s, c.option())
		allow(t, l, minuteOfSeconds, key, 2)
		c.advance(4 * time.Second)
		allow(t, l, minuteOfSeconds, key, 3)
		c.advance(21 * time.Second)
		allow(t, l, minuteOfSeconds, key, 1)
		allow(t, l, minuteOfSeconds, key, 7)
		want := map[string]string{
			"m":                       fmt.Sprintf("1000000 10 6 %d 25 0 5 5 13", second),
			"c":                       fmt.Sprintf("%d 0:0 2:5", second/10),
			fmt.Sprint(second / 10):   " 0:0 4:2",
			fmt.Sprint(second/10 + 2): " 5:0",
		}
		if got := rdb.HGetAll(t.Context(), l.RedisKey(minuteOfSeconds, key)).Val(); !maps.Equal(got, want) {
			t.Errorf("\n got %q\nwant %q", got, want)
		}
	})
}

// A key never has more fields than coarse parts and three, whether it is busy
// for long or comes back after a while, and no number in them grows for ever:
// Redis keeps it in its smallest form.
func TestLayersStaySmall(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		c, rdb, key := newClock(), s.Client(t), someone()
		l := limiter(t, s, c.option())
		redisKey := l.RedisKey(minuteOfSeconds, key)
		for i := range 2500 {
			c.advance(700 * time.Millisecond)
			if i == 200 {
				c.advance(2 * time.Minute)
			}
			allow(t, l, minuteOfSeconds, key, 1)
			fields := rdb.HGetAll(t.Context(), redisKey).Val()
			if len(fields) > 6+3 {
				t.Fatalf("%d fields: %q", len(fields), fields)
			}
			for name, value := range fields {
				if len(value) > 64 {
					t.Fatalf("field %s has %d bytes, beyond Redis's 64 for small hashes: %q", name, len(value), value)
				}
			}
		}
	})
}

// damages are fields that somebody removed or wrote over.
var damages = map[string]func(coarse string) (field, value string){
	"no coarse list":          func(string) (string, string) { return "c", "" },
	"garbage as coarse list":  func(string) (string, string) { return "c", "garbage" },
	"a coarse list of others": func(string) (string, string) { return "c", "5 0:0 1:1" },
	"no units in it":          func(coarse string) (string, string) { return "c", coarse + " x" },
	"huge units":              func(coarse string) (string, string) { return "c", coarse + " 0:" + huge + " 1:" + huge },
	"no fine list":            func(coarse string) (string, string) { return coarse, "" },
	"garbage as fine list":    func(coarse string) (string, string) { return coarse, "garbage" },
	"huge parts":              func(coarse string) (string, string) { return coarse, " " + huge + ":0" },
}

// Lists that do not hold together are noticed when they are needed, and never
// before: then the key starts anew. Until then it neither fails nor forgives.
func TestLayersThatDoNotHoldTogether(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		c, rdb := newClock(), s.Client(t)
		l, p := limiter(t, s, c.option()), minuteOfSeconds
		for name, damage := range damages {
			c.startWindow(24 * time.Hour)
			key, coarse := someone(), strconv.FormatInt(c.time().Unix()/10, 10)
			for range 5 {
				allow(t, l, p, key, 10)
				c.advance(2 * time.Second)
			}
			if field, value := damage(coarse); value != "" {
				rdb.HSet(t.Context(), l.RedisKey(p, key), field, value)
			} else {
				rdb.HDel(t.Context(), l.RedisKey(p, key), field)
			}
			if d := allow(t, l, p, key, 90); d.Allowed || d.Remaining != 50 || d.RetryAfter > p.Window || d.RetryAfter < p.Window-10*time.Second {
				t.Errorf("%s: %s; want 50 left, and the others back no sooner than they were", name, show(d))
			}
			c.advance(51 * time.Second) // the first second leaves: now the lists are needed
			if d := allow(t, l, p, key, 0); !d.Repaired || d.Remaining != 100 {
				t.Errorf("%s: a look: %s; want it to tell", name, show(d))
			}
			if d := allow(t, l, p, key, 1); !d.Repaired || !d.Allowed || d.Remaining != 99 {
				t.Errorf("%s: %s; want it to start anew", name, show(d))
			}
			if d := allow(t, l, p, key, 1); d.Repaired || d.Remaining != 98 {
				t.Errorf("%s, later: %s", name, show(d))
			}
		}
	})
}

// Damage is met by a write first: the next coarse part begins all the same.
func TestCoarsePartBeginsInADamagedHash(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		c, rdb := newClock(), s.Client(t)
		l, p := limiter(t, s, c.option()), minuteOfSeconds
		for name, damage := range damages {
			c.startWindow(24 * time.Hour)
			key := someone()
			allow(t, l, p, key, 10)
			if field, value := damage(strconv.FormatInt(c.time().Unix()/10, 10)); value != "" {
				rdb.HSet(t.Context(), l.RedisKey(p, key), field, value)
			}
			c.advance(10 * time.Second)
			if d := allow(t, l, p, key, 10); !d.Allowed || d.Remaining > 90 {
				t.Errorf("%s: %s", name, show(d))
			}
			c.advance(5 * time.Minute)
			if d := allow(t, l, p, key, 100); !d.Allowed {
				t.Errorf("%s: %s; want no trace after some minutes", name, show(d))
			}
		}
	})
}

// What the model admits, which the scripts agree with, keeps what the layers
// promise: Limit in any window, the others in each of their parts.
func TestLayersPromise(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawLayers(rt, layered(core.Policy{Name: "p", Limit: rapid.Int64Range(1, 40).Draw(rt, "limit"), Window: time.Minute}))
		p.SubWindows, p.FineWindows = 6, 10
		var model coretest.Model
		var admitted []core.Charge
		var instants []int64
		now := int64(1e15)
		for range 120 {
			now += rapid.Int64Range(0, 4e6).Draw(rt, "pause")
			charge := core.Charge{Policy: p, Key: "k", Cost: rapid.Int64Range(1, 5).Draw(rt, "cost")}
			if !model.Decide(now, charge)[0].Allowed {
				continue
			}
			admitted, instants = append(admitted, charge), append(instants, now)
			since := func(start int64) (units int64) {
				for i, c := range admitted {
					if instants[i] >= start {
						units += c.Cost
					}
				}
				return units
			}
			window, coarse, fine := since(now-60e6+1), since(now-now%10e6), since(now-now%1e6)
			if window > p.Limit || p.CoarseLimit > 0 && coarse > p.CoarseLimit || p.FineLimit > 0 && fine > p.FineLimit {
				rt.Fatalf("%+v: %d in a window, %d in a coarse part, %d in a fine one", p, window, coarse, fine)
			}
		}
	})
}
