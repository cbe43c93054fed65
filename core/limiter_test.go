package core_test

import (
	"bufio"
	"context"
	"errors"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

func TestNewRefusesWhatItCannotUse(t *testing.T) {
	rdb := redis.NewClient(&redis.Options{})
	ring := redis.NewRing(&redis.RingOptions{})
	t.Cleanup(func() { rdb.Close(); ring.Close() })
	for name, c := range map[string]struct {
		rdb  redis.UniversalClient
		opt  core.Option
		says string
	}{
		"nil client":          {nil, core.Timeout(time.Second), "rdb is"},
		"typed nil client":    {(*redis.Client)(nil), core.Timeout(time.Second), "rdb is"},
		"a ring":              {ring, core.Timeout(time.Second), "Ring"},
		"no timeout":          {rdb, core.Timeout(0), "Timeout is 0s"},
		"negative timeout":    {rdb, core.Timeout(-time.Second), "Timeout is -1s"},
		"empty prefix":        {rdb, core.Prefix(""), `Prefix is ""`},
		"prefix with a brace": {rdb, core.Prefix("a{b"), `Prefix is "a{b"`},
		"prefix too long":     {rdb, core.Prefix(strings.Repeat("p", 65)), "1 to 64"},
		"prefix not ASCII":    {rdb, core.Prefix("é"), "Prefix is"},
		"short secret":        {rdb, core.HashKeys([]byte("short")), "length of secret is 5"},
		"nil option":          {rdb, nil, "option is"},
	} {
		l, err := core.New(c.rdb, c.opt)
		var bad *core.ArgumentError
		if !errors.As(err, &bad) || l != nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "slidegate/core: ") {
			t.Errorf("%s: %v, %v; want an ArgumentError that says %q", name, l, err, c.says)
		}
	}
}

func TestArgumentsThatCannotBeUsed(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		l, p := limiter(t, s), core.PerHour("args", 5)
		var bad *core.ArgumentError
		if d, err := l.Allow(t.Context(), p, ""); !errors.As(err, &bad) || bad.Argument != "key" || d.Allowed {
			t.Errorf("empty key: %s, %v", show(d), err)
		}
		if d, err := l.AllowN(t.Context(), p, "k", -1); !errors.As(err, &bad) || bad.Argument != "cost" || d.Allowed {
			t.Errorf("negative cost: %s, %v", show(d), err)
		}
		var policy *core.PolicyError
		if d, err := l.Allow(t.Context(), core.Policy{Name: "x"}, "k"); !errors.As(err, &policy) || policy.Field != "Limit" || d.Allowed {
			t.Errorf("bad policy: %s, %v", show(d), err)
		}
		for _, cost := range []int64{6, 1 << 53, math.MaxInt64} {
			if d := allow(t, l, p, "k", cost); d.Allowed || d.RetryAfter != core.Never || d.Remaining != 5 || d.Cost != cost {
				t.Errorf("cost %d: %s; want a denial for ever, and nothing charged", cost, show(d))
			}
		}
	})
}

func TestPrefixAndHashedKeys(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		rdb, p := s.Client(t), core.PerHour("p", 5)
		l := newLimiter(t, rdb, core.Prefix("mine"), core.HashKeys([]byte("a secret of some length")))
		allow(t, l, p, "anna@example.org", 1)
		keys := rdb.Keys(t.Context(), "mine:*").Val()
		if len(keys) == 0 || strings.Contains(strings.Join(keys, " "), "anna") {
			t.Errorf("keys %q; want one under the prefix that does not show the identity", keys)
		}
	})
}

func TestResetGivesTheAllowanceBack(t *testing.T) {
	eachVariant(t, func(t *testing.T, s *coretest.Server, apply func(core.Policy) core.Policy) {
		l, p, key := limiter(t, s), apply(core.PerHour("reset", 5)), someone()
		allow(t, l, p, key, 5)
		for range 2 {
			if err := l.Reset(t.Context(), p, key); err != nil {
				t.Fatal(err)
			}
		}
		if d := allow(t, l, p, key, 0); d.Remaining != 5 || d.ResetAfter != 0 {
			t.Errorf("%s; want all of it", show(d))
		}
	})
}

func TestAfterClose(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		rdb, p, key := s.Client(t), core.PerHour("close", 5), someone()
		l := newLimiter(t, rdb)
		for range 2 {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if d, err := l.Allow(t.Context(), p, key); !errors.Is(err, core.ErrClosed) || d.Allowed {
			t.Errorf("Allow: %s, %v", show(d), err)
		}
		if ds, err := l.AllowAll(t.Context(), core.Charge{p, key, 1}); !errors.Is(err, core.ErrClosed) || core.Allowed(ds) {
			t.Errorf("AllowAll: %v, %v", ds, err)
		}
		if err := l.Reset(t.Context(), p, key); !errors.Is(err, core.ErrClosed) {
			t.Errorf("Reset: %v", err)
		}
		if err := rdb.Ping(t.Context()).Err(); err != nil {
			t.Errorf("the client was closed as well: %v", err)
		}
		if d := allow(t, newLimiter(t, rdb), p, key, 0); d.Remaining != 5 {
			t.Errorf("%s; want nothing charged", show(d))
		}
	})
}

func TestCloseUnderLoad(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		l, p, key := limiter(t, s), core.Policy{Name: "load", Algorithm: core.FixedWindow, Limit: 1 << 40, Window: long}, someone()
		var admitted, refused int64
		var mu sync.Mutex
		var workers sync.WaitGroup
		for range 8 {
			workers.Go(func() {
				for {
					_, err := l.Allow(context.Background(), p, key)
					mu.Lock()
					if err != nil {
						refused++
						mu.Unlock()
						if !errors.Is(err, core.ErrClosed) {
							t.Error(err)
						}
						return
					}
					admitted++
					mu.Unlock()
				}
			})
		}
		await(t, "some load", func() bool { mu.Lock(); defer mu.Unlock(); return admitted > 200 })
		l.Close()
		workers.Wait()
		if left := allow(t, limiter(t, s), p, key, 0).Remaining; p.Limit-left != admitted {
			t.Errorf("Redis counted %d, answered were %d", p.Limit-left, admitted)
		}
	})
}

// A caller that is gone before the call is charged nothing.
func TestCancelledBeforeTheCall(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		l, p, key := limiter(t, s), core.PerHour("gone", 5), someone()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := l.Allow(ctx, p, key)
		mustSay(t, err, core.ErrNotExecuted, "before it was sent", "canceled")
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v; want the context's error within", err)
		}
		if d := allow(t, l, p, key, 0); d.Remaining != 5 {
			t.Errorf("%s; want nothing charged", show(d))
		}
	})
}

// mute accepts connections, greets as Redis does, and answers nothing else.
func mute(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	t.Cleanup(func() { listener.Close(); open.Wait() })
	open.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() { greet(conn) })
		}
	})
	return listener.Addr().String()
}

func greet(conn net.Conn) {
	defer conn.Close()
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		switch strings.ToLower(lines.Text()) {
		case "hello":
			conn.Write([]byte("-ERR unknown command\r\n"))
		case "client":
			conn.Write([]byte("+OK\r\n"))
		}
	}
}

// A decision ends at its own deadline, whatever the client's settings; the
// answer is then unknown, and follows the policy.
func TestOwnDeadline(t *testing.T) {
	for _, heeds := range []bool{false, true} {
		rdb := redis.NewClient(&redis.Options{Addr: mute(t), ReadTimeout: time.Minute, ContextTimeoutEnabled: heeds, MaxRetries: 5})
		l, err := core.New(rdb, core.Timeout(20*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range []core.OutageMode{core.Open, core.Closed} {
			p := core.PerHour("mute", 5)
			p.OnOutage = mode
			d, err := l.Allow(context.Background(), p, "k")
			mustSay(t, err, core.ErrUnknownOutcome, "once or not at all")
			checkOutage(t, d, mode)
		}
		rdb.Close()
		l.Close()
	}
}

// A caller that leaves is let go at once, long before the deadline.
func TestCancelledCallerLeaves(t *testing.T) {
	rdb := redis.NewClient(&redis.Options{Addr: mute(t), ReadTimeout: time.Minute})
	l, err := core.New(rdb, core.Timeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := l.Allow(ctx, core.PerHour("leave", 5), "k")
		left <- err
	}()
	await(t, "the call to be under way", func() bool { return rdb.PoolStats().TotalConns > rdb.PoolStats().IdleConns })
	cancel()
	if err := <-left; !errors.Is(err, core.ErrUnknownOutcome) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v; want an unknown outcome that says canceled", err)
	}
	rdb.Close()
	l.Close()
}

func TestNobodyListens(t *testing.T) {
	rdb := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", DialerRetries: 1, ContextTimeoutEnabled: true})
	defer rdb.Close()
	l := newLimiter(t, rdb)
	for _, mode := range []core.OutageMode{core.Open, core.Closed} {
		p := core.PerHour("down", 5)
		p.OnOutage = mode
		d, err := l.Allow(context.Background(), p, "k")
		mustSay(t, err, core.ErrNotExecuted, "nothing was charged", "dial")
		if strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%q shows Redis's address", err)
		}
		checkOutage(t, d, mode)
	}
}

func checkOutage(t *testing.T, d core.Decision, mode core.OutageMode) {
	t.Helper()
	want := core.Decision{Policy: d.Policy, Cost: 1, Allowed: true, Degraded: core.FailedOpen}
	if mode == core.Closed {
		want.Allowed, want.Degraded, want.RetryAfter = false, core.FailedClosed, time.Second
	}
	if d != want {
		t.Errorf("%v: %s; want %s", mode, show(d), show(want))
	}
}

// A hook that panics is an error of one call, not the end of the program.
type panics struct{}

func (panics) DialHook(next redis.DialHook) redis.DialHook { return next }
func (panics) ProcessHook(redis.ProcessHook) redis.ProcessHook {
	return func(context.Context, redis.Cmder) error { panic("a hook's mistake") }
}
func (panics) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func TestHookThatPanics(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		rdb := s.Client(t)
		rdb.AddHook(panics{})
		_, err := newLimiter(t, rdb).Allow(t.Context(), core.PerHour("hook", 5), "k")
		mustSay(t, err, core.ErrUnknownOutcome, "panicked", "a hook's mistake")
	})
}

// What a server without the script answers costs exactly one more round trip.
func TestNoScriptCostsTwoRoundTrips(t *testing.T) {
	coretest.Each(t, func(t *testing.T, s *coretest.Server) {
		own := coretest.Start(t, s.Kind)
		rdb := own.Client(t)
		l, p := newLimiter(t, rdb), core.PerHour("script", 5)
		for range 3 {
			allow(t, l, p, "k", 1)
		}
		stats := rdb.Info(t.Context(), "commandstats").Val()
		for _, want := range []string{"cmdstat_evalsha:calls=3", "cmdstat_eval:calls=1"} {
			if !strings.Contains(stats, want) {
				t.Errorf("no %q in\n%s", want, stats)
			}
		}
	})
}

// Callers who leave at any moment: what Redis counted lies between the answers
// and the answers with the unknown; who is told that nothing was charged was
// not.
func TestCallersWhoLeaveAreAccountedFor(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		l, key := limiter(t, s), someone()
		p := core.Policy{Name: "leave", Algorithm: core.FixedWindow, Limit: 1 << 40, Window: long}
		var counts tally
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				// From no patience at all to more than enough of it.
				for patience := time.Microsecond; patience < time.Minute; patience += patience/20 + 1 {
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					d, err := l.Allow(ctx, p, key)
					if !errors.Is(err, core.ErrNotExecuted) {
						counts.count(d, err)
					}
					cancel()
				}
			})
		}
		callers.Wait()
		admitted, unknown := counts.admitted.Load(), counts.unknown.Load()
		await(t, "the calls that were left to end", func() bool {
			counted := p.Limit - allow(t, l, p, key, 0).Remaining
			return counted >= admitted && counted <= admitted+unknown
		})
		if counts.other.Load() != 0 || admitted == 0 || unknown == 0 {
			t.Errorf("admitted %d, unknown %d, other %d; want some of the first two and no other", admitted, unknown, counts.other.Load())
		}
	})
}
