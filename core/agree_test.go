package core_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// The scripts agree with the reference model on every number, whatever is
// asked, wherever the clock goes, however the policy changes, and whether or
// not state that has expired is still there.
func TestScriptsAgreeWithTheModel(t *testing.T) {
	eachVariant(t, func(t *testing.T, s *coretest.Server, apply func(core.Policy) core.Policy) {
		stepsPerCheck, wanted := 220, 20_000
		if s.Kind == coretest.Mini {
			stepsPerCheck, wanted = 40, 4_000 // the claim is about real servers
		}
		w := newWorld(t, s)
		rapid.Check(t, func(rt *rapid.T) {
			w.restart(apply, rt)
			for range stepsPerCheck {
				w.step(rt)
			}
		})
		t.Logf("%d steps, 0 disagreements", w.steps)
		if w.steps < wanted {
			t.Errorf("%d steps; the claim needs %d", w.steps, wanted)
		}
	})
}

// world runs a Limiter and the model side by side.
type world struct {
	clock   *clock
	limiter *core.Limiter
	rdb     *redis.Client
	steps   int

	model    coretest.Model
	apply    func(core.Policy) core.Policy
	policy   core.Policy
	key      string
	last     core.Decision
	deadline int64       // when what was last written expires, in virtual time
	writer   core.Policy // the policy it was written under
	moved    bool        // clock or policy have moved since: a denial may write too
}

func newWorld(t *testing.T, s *coretest.Server) *world {
	w := &world{clock: newClock(), rdb: s.Client(t)}
	w.limiter = newLimiter(t, w.rdb, w.clock.option())
	return w
}

func (w *world) restart(apply func(core.Policy) core.Policy, rt *rapid.T) {
	w.startAnew()
	w.apply = apply
	w.policy = w.drawPolicy(rt)
	w.clock.startWindow(time.Hour)
	w.clock.advance(time.Duration(rapid.Int64Range(0, 2e9).Draw(rt, "start")) * time.Microsecond)
}

func (w *world) startAnew() {
	w.model, w.key, w.last = coretest.Model{}, someone(), core.Decision{}
	w.deadline = math.MaxInt64
}

var windows = []time.Duration{
	time.Millisecond, 7 * time.Millisecond, time.Second, 1500 * time.Millisecond, 10 * time.Second,
	time.Minute, time.Hour, 24 * time.Hour, 1_000_003 * time.Microsecond,
}

func (w *world) drawPolicy(rt *rapid.T) core.Policy {
	p := core.Policy{Name: "p", Window: rapid.SampledFrom(windows).Draw(rt, "window")}
	p.Limit = rapid.OneOf(rapid.Int64Range(1, 12), rapid.Int64Range(1, 150), rapid.Int64Range(1, 100_000)).Draw(rt, "limit")
	if a := w.apply(p).Algorithm; a == core.SlidingLog || a == core.CompactLog {
		p.Limit = 1 + p.Limit%400 // a member for each unit
	}
	p = w.apply(p)
	switch p.Algorithm {
	case core.TokenBucket, core.LeakyBucket, core.GCRA:
		p.Burst = rapid.SampledFrom([]int64{0, 0, 1, 5, 40, 300}).Draw(rt, "burst")
		if rapid.IntRange(0, 3).Draw(rt, "prime") == 0 {
			p.Limit, p.Window = 999_983, 24*time.Hour
		}
	case core.SlidingWindow:
		parts := rapid.SampledFrom([]int{0, 0, 1, 2, 4, 10, 100}).Draw(rt, "parts")
		if parts == 0 || p.Window.Microseconds()%int64(parts) == 0 {
			p.SubWindows = parts
		}
	case core.AdaptiveWindow:
		p.SubWindows = rapid.SampledFrom([]int{0, 0, 1, 8, 100, 10_000}).Draw(rt, "most")
		p.MinSubWindows = rapid.SampledFrom([]int{0, 0, 1}).Draw(rt, "fewest")
		p.NarrowAbove = rapid.Int64Range(0, min(4, p.Limit)).Draw(rt, "above")
		p.WidenBelow = rapid.Int64Range(0, p.NarrowAbove).Draw(rt, "below")
	case core.LayeredWindow:
		p = drawLayers(rt, p)
	}
	if p.Validate() != nil {
		p.Limit = 1 + p.Limit%1000 // more cannot be counted exactly
	}
	return p
}

// drawLayers draws parts that divide the window, and the layers' own limits for
// a policy that has them.
func drawLayers(rt *rapid.T, p core.Policy) core.Policy {
	if p.FineLimit > 0 {
		p.CoarseLimit = rapid.SampledFrom([]int64{0, p.Limit, (p.Limit + 1) / 2, rapid.Int64Range(1, p.Limit).Draw(rt, "coarse")}).Draw(rt, "coarse limit")
		most := p.Limit
		if p.CoarseLimit > 0 {
			most = p.CoarseLimit
		}
		p.FineLimit = rapid.SampledFrom([]int64{0, most, (most + 2) / 3, rapid.Int64Range(1, most).Draw(rt, "fine")}).Draw(rt, "fine limit")
	}
	coarse, fine := rapid.IntRange(0, 6).Draw(rt, "coarse parts"), rapid.IntRange(0, 10).Draw(rt, "fine parts")
	if p.SubWindows = coarse; p.Validate() != nil {
		p.SubWindows = 0
	}
	if p.FineWindows = fine; p.Validate() != nil {
		p.FineWindows = 0
	}
	return p
}

func (w *world) step(rt *rapid.T) {
	w.steps++
	switch rapid.IntRange(0, 19).Draw(rt, "action") {
	case 0, 1, 2, 3, 4, 5:
		w.clock.advance(w.drawPause(rt))
	case 6:
		w.clock.advance(-w.drawPause(rt))
		w.moved = true
	case 7:
		w.changePolicy(rt)
		w.moved = true
	case 8:
		w.expire(rt)
	}
	w.decide(rt, w.drawCost(rt))
}

// drawPause favours the instants at which something happens.
func (w *world) drawPause(rt *rapid.T) time.Duration {
	known := []time.Duration{0, 1, w.last.NextAfter, w.last.ResetAfter, w.policy.Window, time.Hour}
	if w.last.RetryAfter != core.Never {
		known = append(known, w.last.RetryAfter)
	}
	if rapid.Bool().Draw(rt, "known pause") {
		pause := rapid.SampledFrom(known).Draw(rt, "pause")
		return max(0, pause+time.Duration(rapid.IntRange(-1, 1).Draw(rt, "off by"))*time.Microsecond)
	}
	upTo := rapid.SampledFrom([]time.Duration{100 * time.Microsecond, w.policy.Window / 10, w.policy.Window * 2}).Draw(rt, "up to")
	return time.Duration(rapid.Int64Range(0, upTo.Microseconds()).Draw(rt, "µs")) * time.Microsecond
}

func (w *world) drawCost(rt *rapid.T) int64 {
	capacity := w.policy.Capacity()
	switch rapid.IntRange(0, 9).Draw(rt, "kind of cost") {
	case 0:
		return 0
	case 1:
		return rapid.Int64Range(1, capacity).Draw(rt, "cost")
	case 2:
		return rapid.SampledFrom([]int64{capacity, max(1, w.last.Remaining), capacity + 1}).Draw(rt, "known cost")
	}
	return rapid.Int64Range(1, min(capacity, 3)).Draw(rt, "small cost")
}

// changePolicy changes all of it, or the limit or the burst alone.
func (w *world) changePolicy(rt *rapid.T) {
	fresh := w.drawPolicy(rt)
	switch rapid.IntRange(0, 2).Draw(rt, "change") {
	case 0:
		w.policy.Limit, w.policy.CoarseLimit, w.policy.FineLimit = fresh.Limit, fresh.CoarseLimit, fresh.FineLimit
	case 1:
		w.policy.Burst = fresh.Burst
	case 2:
		w.policy = fresh
	}
	if w.policy.Validate() != nil {
		w.policy = fresh // its parts go together
	}
}

// expire removes the key if its time has come. Under the policy that wrote it
// nothing is owed any more then, so that its answers stay what they were; another
// policy, or a clock that steps back, would have seen what is now forgotten.
func (w *world) expire(rt *rapid.T) {
	now := w.clock.now.Load()
	if now < w.deadline {
		return
	}
	if owed := w.model.Decide(now, core.Charge{Policy: w.writer, Key: w.key})[0]; owed.ResetAfter != 0 {
		rt.Fatalf("at %d the key may expire, and yet it owes: %s", now, show(owed))
	}
	if err := w.rdb.Del(context.Background(), w.limiter.RedisKey(w.policy, w.key)).Err(); err != nil {
		rt.Fatal(err)
	}
	w.model.Forget(w.policy, w.key)
	w.deadline = math.MaxInt64
}

func (w *world) decide(rt *rapid.T, cost int64) {
	now, asked := w.clock.now.Load(), time.Now()
	got, err := w.limiter.AllowN(context.Background(), w.policy, w.key, cost)
	if err != nil {
		rt.Fatalf("%+v cost %d: %v", w.policy, cost, err)
	}
	want := w.model.Decide(now, core.Charge{Policy: w.policy, Key: w.key, Cost: cost})[0]
	if got != want {
		rt.Fatalf("at %d, step %d\n got %s\nwant %s", now, w.steps, show(got), show(want))
	}
	w.last = got
	if w.moved || got.Allowed && cost > 0 { // nothing else writes
		w.keepForEver(rt, now)
	}
	if time.Since(asked) > time.Second/2 {
		w.startAnew() // the machine stood still: the key may have gone by the server's own clock
	}
}

// keepForEver notes when Redis would drop the key by the virtual clock, and
// stops it from doing so by its own: state is judged by content alone.
func (w *world) keepForEver(rt *rapid.T, now int64) {
	key := w.limiter.RedisKey(w.policy, w.key)
	pipe := w.rdb.Pipeline()
	left, persisted := pipe.PTTL(context.Background(), key), pipe.Persist(context.Background(), key)
	if _, err := pipe.Exec(context.Background()); err != nil {
		rt.Fatal(err)
	}
	if persisted.Val() {
		w.moved = false
		w.deadline, w.writer = now+left.Val().Microseconds(), w.policy
	}
}

func show(d core.Decision) string {
	return fmt.Sprintf("%+v", d)
}
