package core_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// counting is a policy that admits whatever comes, and counts it.
func counting(name string) core.Policy {
	return core.Policy{Name: name, Algorithm: core.FixedWindow, Limit: 1 << 40, Window: long}
}

// A gate holds every command before it is sent, until it opens.
type gate struct {
	proxy *coretest.Proxy
	open  chan struct{}
}

// gated returns a gate before s, and a limiter behind it that lets one call be
// under way at a time.
func gated(t *testing.T, s *coretest.Server, opts ...core.Option) (*gate, *core.Limiter) {
	t.Helper()
	g := &gate{open: make(chan struct{})}
	g.proxy = coretest.StartProxy(t, s.Addr, nil)
	rdb := redis.NewClient(&redis.Options{Addr: g.proxy.Addr, ContextTimeoutEnabled: true})
	t.Cleanup(func() { rdb.Close() })
	rdb.AddHook(g)
	l, err := core.New(rdb, append([]core.Option{core.Timeout(10 * time.Second), core.Combining(1, 128, 4096)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return g, l
}

func (g *gate) DialHook(next redis.DialHook) redis.DialHook { return next }

func (g *gate) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (g *gate) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		<-g.open
		return next(ctx, cmd)
	}
}

func (g *gate) requests() int64 { return g.proxy.Counts().Requests }

// asking is callers who ask at the same time.
type asking struct {
	sync.WaitGroup
	answers  []core.Decision
	errs     []error
	returned atomic.Int64
}

func start(n int, call func(i int) (core.Decision, error)) *asking {
	a := &asking{answers: make([]core.Decision, n), errs: make([]error, n)}
	for i := range n {
		a.Go(func() {
			a.answers[i], a.errs[i] = call(i)
			a.returned.Add(1)
		})
	}
	return a
}

// ask has n callers ask, and returns when they queue behind those who did before.
func ask(t *testing.T, l *core.Limiter, n int, call func(i int) (core.Decision, error)) *asking {
	t.Helper()
	before, under := l.Queued()
	a := start(n, call)
	await(t, "the callers to queue", func() bool {
		queued, calls := l.Queued()
		return queued+calls == before+under+n
	})
	return a
}

// admitted counts the answers; none may be an error.
func (a *asking) admitted(t *testing.T) (n int64) {
	t.Helper()
	a.Wait()
	for i, err := range a.errs {
		if err != nil {
			t.Fatalf("caller %d: %v", i, err)
		}
		n += int64(one(a.answers[i].Allowed))
	}
	return n
}

// idle checks that nobody queues and that no call is under way.
func idle(t *testing.T, l *core.Limiter) {
	t.Helper()
	await(t, "the queue to be empty", func() bool {
		queued, calls := l.Queued()
		return queued == 0 && calls == 0
	})
}

func TestAloneCostsOneCall(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		g, l := gated(t, s)
		close(g.open)
		p, key := counting("single"), someone()
		allow(t, l, p, key, 1) // the script is known from here on
		before := g.requests()
		for range 5 {
			allow(t, l, p, key, 1)
		}
		if sent := g.requests() - before; sent != 5 {
			t.Errorf("5 decisions, one after the other, took %d calls", sent)
		}
		idle(t, l)
	})
}

func TestCallersShareACall(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		for name, c := range map[string]struct {
			opts  []core.Option
			calls int64
		}{
			"combined":                             {nil, 2}, // one at once, and one for the other 99
			"no more charges than a call may have": {[]core.Option{core.Combining(1, 33, 4096)}, 4},
			"unbatched":                            {[]core.Option{core.Unbatched()}, 100},
		} {
			p := core.Policy{Name: "share", Algorithm: core.FixedWindow, Limit: 40, Window: long}
			limiterKnowsScript(t, s, p)
			g, l := gated(t, s, c.opts...)
			key := someone()
			var callers *asking
			if name == "unbatched" {
				close(g.open)
				callers = askFreely(l, 100, p, key)
			} else {
				callers = ask(t, l, 100, func(int) (core.Decision, error) { return l.Allow(context.Background(), p, key) })
				close(g.open)
			}
			if n := callers.admitted(t); n != 40 {
				t.Errorf("%s: admitted %d of 100 on a limit of 40", name, n)
			}
			if sent := g.requests(); sent != c.calls {
				t.Errorf("%s: 100 decisions took %d calls; want %d", name, sent, c.calls)
			}
			idle(t, l)
			l.Close()
		}
	})
}

// limiterKnowsScript has the server know p's script, so that a call is one request.
func limiterKnowsScript(t *testing.T, s *coretest.Server, p core.Policy) {
	t.Helper()
	allow(t, limiter(t, s), p, someone(), 0)
}

func askFreely(l *core.Limiter, n int, p core.Policy, key string) *asking {
	return start(n, func(int) (core.Decision, error) { return l.Allow(context.Background(), p, key) })
}

// Whoever does not fit into the queue is served without it.
func TestFullQueue(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		p, key := counting("full"), someone()
		limiterKnowsScript(t, s, p)
		g, l := gated(t, s, core.Combining(1, 128, 10))
		waiting := ask(t, l, 11, func(int) (core.Decision, error) { return l.Allow(context.Background(), p, key) })
		others := askFreely(l, 20, p, key)
		close(g.open)
		if n := waiting.admitted(t) + others.admitted(t); n != 31 {
			t.Errorf("admitted %d; want all 31", n)
		}
		if spent := p.Limit - allow(t, l, p, key, 0).Remaining; spent != 31 {
			t.Errorf("Redis counted %d; want 31", spent)
		}
		idle(t, l)
	})
}

// Each caller gets the answer to its own question: costs, policies, algorithms
// and joint decisions are mixed.
func TestCallersGetTheirOwnAnswers(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		g, l := gated(t, s, core.Combining(1, 16, 4096))
		fixed, bucket := core.PerHour("own", 100), core.PerHour("own", 100)
		fixed.Algorithm, bucket.Algorithm = core.FixedWindow, core.TokenBucket
		keys := make([]string, 60)
		for i := range keys {
			keys[i] = someone()
		}
		callers := ask(t, l, len(keys), func(i int) (core.Decision, error) {
			switch i % 3 {
			case 0:
				return l.AllowN(context.Background(), fixed, keys[i], int64(i+50))
			case 1:
				return l.AllowN(context.Background(), bucket, keys[i], int64(i))
			}
			ds, err := l.AllowAll(context.Background(), core.Charge{fixed, keys[i], 1}, core.Charge{bucket, keys[i], int64(i)})
			return ds[1], err
		})
		close(g.open)
		callers.Wait()
		for i, d := range callers.answers {
			cost := int64(i)
			if i%3 == 0 {
				cost = int64(i + 50)
			}
			left := 100 - cost
			if cost > 100 {
				left = 100
			}
			if callers.errs[i] != nil || d.Cost != cost || d.Allowed != (cost <= 100) || d.Remaining != left {
				t.Errorf("caller %d: %s, %v; want cost %d and %d left", i, show(d), callers.errs[i], cost, left)
			}
		}
		idle(t, l)
	})
}

// Who leaves the queue is not charged and told so, and nobody else notices: be
// it the first who queued, or all of them.
func TestLeavingTheQueue(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		for name, leaves := range map[string]func(i int) bool{
			"the first": func(i int) bool { return i == 0 },
			"every odd": func(i int) bool { return i%2 == 1 },
			"all":       func(int) bool { return true },
		} {
			p, key := counting("leaving"), someone()
			limiterKnowsScript(t, s, p)
			g, l := gated(t, s)
			ctx, cancel := context.WithCancel(t.Context())
			first := ask(t, l, 1, func(int) (core.Decision, error) { return l.Allow(context.Background(), p, key) })
			leavers, stayed := int64(0), int64(1)
			rest := ask(t, l, 20, func(i int) (core.Decision, error) {
				if leaves(i) {
					return l.Allow(ctx, p, key)
				}
				return l.Allow(context.Background(), p, key)
			})
			for i := range 20 {
				leavers += int64(one(leaves(i)))
				stayed += int64(one(!leaves(i)))
			}
			cancel()
			await(t, "those who leave", func() bool { return rest.returned.Load() == leavers })
			close(g.open)
			rest.Wait()
			first.Wait()
			for i, err := range rest.errs {
				if leaves(i) != (err != nil) {
					t.Errorf("%s: caller %d: %s, %v", name, i, show(rest.answers[i]), err)
				}
				if err != nil && (!errors.Is(err, core.ErrNotExecuted) || !errors.Is(err, context.Canceled)) {
					t.Errorf("%s: caller %d: %v; want nothing charged, and canceled", name, i, err)
				}
			}
			idle(t, l)
			if spent := p.Limit - allow(t, l, p, key, 0).Remaining; spent != stayed {
				t.Errorf("%s: Redis counted %d; want the %d who stayed", name, spent, stayed)
			}
		}
	})
}

// A caller who leaves while a call with its decision is under way does not
// know; the others in the call, and behind it, are answered.
func TestLeavingACallUnderWay(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		p, key := counting("under-way"), someone()
		limiterKnowsScript(t, s, p)
		g, l := gated(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		firstCtx, leave := context.WithCancel(t.Context())
		first := ask(t, l, 1, func(int) (core.Decision, error) { return l.Allow(firstCtx, p, key) })
		rest := ask(t, l, 20, func(i int) (core.Decision, error) {
			if i < 5 {
				return l.Allow(ctx, p, key)
			}
			return l.Allow(context.Background(), p, key)
		})
		leave() // which makes room for a call of the other 20
		await(t, "the queue to be taken", func() bool { queued, _ := l.Queued(); return queued == 0 })
		cancel()
		await(t, "those who leave", func() bool { return rest.returned.Load() == 5 })
		close(g.open)
		rest.Wait()
		first.Wait()
		for i, err := range append(rest.errs, first.errs...) {
			if unknown := errors.Is(err, core.ErrUnknownOutcome); unknown != (i < 5 || i == 20) || !unknown && err != nil {
				t.Errorf("caller %d: %v", i, err)
			}
		}
		idle(t, l)
		if spent := p.Limit - allow(t, l, p, key, 0).Remaining; spent < 15 || spent > 21 {
			t.Errorf("Redis counted %d; want 15, and up to 6 unknown", spent)
		}
	})
}

// The deadline counts from the call, and who queued until then was not charged.
func TestDeadlineInTheQueue(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		p, key := core.PerHour("late", 1000), someone()
		p.OnOutage = core.Closed
		g, l := gated(t, s, core.Timeout(50*time.Millisecond))
		close(g.open)
		release := l.Occupy()
		rest := askFreely(l, 20, p, key)
		rest.Wait()
		for i, err := range rest.errs {
			mustSay(t, err, core.ErrNotExecuted, "before it was sent", "deadline")
			checkOutage(t, rest.answers[i], core.Closed)
		}
		release()
		idle(t, l)
		if sent := g.requests(); sent != 0 {
			t.Errorf("%d calls were sent; want none", sent)
		}
		if d := allow(t, limiter(t, s), p, key, 0); d.Remaining != 1000 {
			t.Errorf("%s; want nothing charged", show(d))
		}
	})
}

// What stands under one caller's key is repaired, and harms no neighbour; nor
// does a neighbour's cost that never fits.
func TestPoisonedNeighbours(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		rdb := s.Client(t)
		g, l := gated(t, s)
		var names []string
		for name := range plants {
			names = append(names, name)
		}
		for _, v := range variants {
			p := v.apply(core.PerHour("neighbour", 10))
			if p.FieldTTL && !hasFieldTTL(s) {
				continue // checked before anything queues: TestFieldTTLWhereThereIsNone
			}
			g.open = make(chan struct{})
			var keys []string
			for _, name := range names {
				keys = append(keys, someone(), someone())
				if err := plants[name](t.Context(), rdb, l.RedisKey(p, keys[len(keys)-1])); err != nil {
					t.Fatal(err)
				}
			}
			release := l.Occupy()
			close(g.open)
			callers := ask(t, l, len(keys), func(i int) (core.Decision, error) {
				return l.AllowN(context.Background(), p, keys[i], int64(1+i%4*3))
			})
			release()
			if n := callers.admitted(t); n != int64(len(keys)) {
				t.Errorf("%s: admitted %d; want all %d", v.name, n, len(keys))
			}
			for i, d := range callers.answers {
				if cost := int64(1 + i%4*3); d.Remaining != 10-cost || d.Repaired != (i%2 == 1) {
					t.Errorf("%s, %s: %s; want %d left", v.name, names[i/2], show(d), 10-cost)
				}
			}
		}
		idle(t, l)
	})
}

// While Redis refuses writes it still answers who only looks, and who is
// denied, be they in one call with others or not.
func TestNeighboursThatMayNotWrite(t *testing.T) {
	for _, k := range coretest.Kinds {
		t.Run(string(k), func(t *testing.T) {
			s := coretest.Start(t, k)
			p, spent, fresh := core.PerHour("full", 5), someone(), someone()
			l := limiter(t, s, core.Combining(1, 128, 4096))
			allow(t, l, p, spent, 5)
			if err := s.Client(t).ConfigSet(t.Context(), "min-replicas-to-write", "1").Err(); err != nil {
				t.Fatal(err)
			}
			release := l.Occupy()
			callers := ask(t, l, 30, func(i int) (core.Decision, error) {
				switch i % 3 {
				case 0:
					return l.Peek(context.Background(), p, fresh)
				case 1:
					return l.Allow(context.Background(), p, spent)
				}
				return l.Allow(context.Background(), p, fresh)
			})
			release()
			callers.Wait()
			for i, d := range callers.answers {
				err := callers.errs[i]
				switch i % 3 {
				case 0:
					if err != nil || d.Remaining != 5 {
						t.Errorf("a look: %s, %v", show(d), err)
					}
				case 1:
					if err != nil || d.Allowed {
						t.Errorf("one to be denied: %s, %v", show(d), err)
					}
				case 2:
					mustSay(t, err, core.ErrNotExecuted, "NOREPLICAS")
				}
			}
			idle(t, l)
		})
	}
}

// Every caller of a call that failed is told of what class the failure is, and
// its Decision follows its own policy.
func TestOutageOfACall(t *testing.T) {
	down := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", DialerRetries: 1, ContextTimeoutEnabled: true})
	silent := redis.NewClient(&redis.Options{Addr: mute(t), ReadTimeout: time.Minute, MaxRetries: 5})
	hooked := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	hooked.AddHook(panics{})
	defer down.Close()
	defer silent.Close()
	defer hooked.Close()
	for name, c := range map[string]struct {
		rdb     *redis.Client
		timeout time.Duration
		class   error
	}{
		"nobody listens": {down, 10 * time.Second, core.ErrNotExecuted},
		"no answer":      {silent, 50 * time.Millisecond, core.ErrUnknownOutcome},
		"a panic":        {hooked, 10 * time.Second, core.ErrUnknownOutcome},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := core.New(c.rdb, core.Timeout(c.timeout), core.Combining(1, 128, 4096))
			if err != nil {
				t.Fatal(err)
			}
			mode := func(i int) core.OutageMode { return []core.OutageMode{core.Open, core.Closed}[i%2] }
			release := l.Occupy()
			callers := ask(t, l, 20, func(i int) (core.Decision, error) {
				p := core.PerHour("outage", 5)
				p.OnOutage = mode(i)
				return l.Allow(context.Background(), p, "k")
			})
			release()
			callers.Wait()
			for i, err := range callers.errs {
				mustSay(t, err, c.class)
				checkOutage(t, callers.answers[i], mode(i))
			}
			l.Close()
			idle(t, l)
		})
	}
}

// Close waits for those who queue; they are answered.
func TestCloseWhileCallersQueue(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		p, key := counting("closing"), someone()
		g, l := gated(t, s)
		callers := ask(t, l, 100, func(int) (core.Decision, error) { return l.Allow(context.Background(), p, key) })
		closed := make(chan struct{})
		go func() { l.Close(); close(closed) }()
		await(t, "later calls to be refused", func() bool {
			_, err := l.Peek(context.Background(), core.Policy{}, "")
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err = l.Peek(ctx, p, key); err == nil {
				t.Fatal("a cancelled look was answered")
			}
			return errors.Is(err, core.ErrClosed)
		})
		close(g.open)
		if n := callers.admitted(t); n != 100 {
			t.Errorf("admitted %d of 100", n)
		}
		<-closed
		idle(t, l)
	})
}

// A plain client before a cluster: keys of several slots cannot share a call.
// Who was in one that was refused is sent alone, and later ones never share.
func TestCallersBehindAPlainClientOfACluster(t *testing.T) {
	c := coretest.StartCluster(t, coretest.Redis7)
	rdb := c.Nodes[0].Client(t)
	l, p := newLimiter(t, rdb, core.Combining(1, 128, 4096)), counting("slots")
	var keys []string
	for len(keys) < 20 {
		key := someone()
		if _, err := l.Peek(t.Context(), p, key); err == nil { // else another node's
			keys = append(keys, key)
		}
	}
	for range 2 {
		release := l.Occupy()
		callers := start(len(keys), func(i int) (core.Decision, error) { return l.Allow(context.Background(), p, keys[i]) })
		if !l.SlotsMatter() {
			await(t, "the callers to queue", func() bool { n, _ := l.Queued(); return n == len(keys) })
		}
		release()
		if n := callers.admitted(t); n != int64(len(keys)) || !l.SlotsMatter() {
			t.Errorf("admitted %d of %d, slots matter: %v", n, len(keys), l.SlotsMatter())
		}
		idle(t, l)
	}
	for _, key := range keys {
		if spent := p.Limit - allow(t, l, p, key, 0).Remaining; spent != 2 {
			t.Errorf("%s: counted %d; want 2", key, spent)
		}
	}
}

// 1,000 callers who leave at random while Redis is slow: each is answered once,
// what Redis counted lies between the answers and the answers with the unknown,
// and who is told that nothing was charged was not.
func TestManyCallersWhoLeave(t *testing.T) {
	coretest.Each(t, func(t *testing.T, s *coretest.Server) {
		for calls, queue := range map[int]int{2: 4096, 4: 500} {
			p := counting("many")
			limiterKnowsScript(t, s, p)
			proxy := coretest.StartProxy(t, s.Addr, func(n int64) coretest.Fault {
				return coretest.Fault{Delay: time.Duration(n%4) * time.Millisecond}
			})
			rdb := redis.NewClient(&redis.Options{Addr: proxy.Addr, ContextTimeoutEnabled: true})
			t.Cleanup(func() { rdb.Close() })
			l := newLimiter(t, rdb, core.Combining(calls, 64, queue))
			keys := []string{someone(), someone(), someone(), someone(), someone()}
			var counts tally
			var unsent atomic.Int64
			var callers sync.WaitGroup
			for i := range 1000 {
				callers.Go(func() {
					for n := range 10 {
						ctx, cancel := context.WithCancel(t.Context())
						if i%10 > 0 { // the others stay
							time.AfterFunc(time.Duration(rand.IntN(60_000))*time.Microsecond, cancel)
						}
						d, err := l.Allow(ctx, p, keys[(i+n)%len(keys)])
						if errors.Is(err, core.ErrNotExecuted) {
							unsent.Add(1)
						} else {
							counts.count(d, err)
						}
						cancel()
					}
				})
			}
			callers.Wait()
			idle(t, l)
			admitted, unknown := counts.admitted.Load(), counts.unknown.Load()
			l.Close() // calls that everybody left are at their end
			var counted int64
			await(t, "the calls that were left to end", func() bool {
				counted = spentOn(t, limiter(t, s), p, keys)
				return counted >= admitted
			})
			t.Logf("%d at a time: answered %d, unknown %d, unsent %d, counted by Redis %d in %d calls",
				calls, admitted, unknown, unsent.Load(), counted, proxy.Counts().Requests)
			if admitted+unknown+unsent.Load() != 10_000 || admitted < 1000 || unknown+unsent.Load() == 0 {
				t.Errorf("answered %d, unknown %d, unsent %d, other %d; want those who stayed answered, and 10,000 in all",
					admitted, unknown, unsent.Load(), counts.other.Load())
			}
			if counted > admitted+unknown {
				t.Errorf("Redis counted %d; want at most %d", counted, admitted+unknown)
			}
		}
	})
}
