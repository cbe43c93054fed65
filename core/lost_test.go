package core_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// breakOneIn100 swallows, cuts or truncates the reply of one request in 100.
func breakOneIn100(n int64) coretest.Fault {
	if n%100 != 37 {
		return coretest.Fault{}
	}
	return []coretest.Fault{
		{Action: coretest.Swallow}, {Action: coretest.Cut}, {Action: coretest.Truncate, Keep: int(n/100) % 9},
	}[n/100%3]
}

// tally counts what 2,000 calls were told.
type tally struct{ admitted, unknown, other atomic.Int64 }

func (c *tally) count(d core.Decision, err error) {
	switch {
	case errors.Is(err, core.ErrUnknownOutcome):
		c.unknown.Add(1)
	case err != nil || !d.Allowed:
		c.other.Add(1)
	default:
		c.admitted.Add(1)
	}
}

// A request whose reply is lost counts once or not at all: what Redis has
// counted lies between the answers and the answers with the unknown. Each fault
// loses one call: the unknown are exactly the faults where each decision is a
// call of its own, and no fewer than the faults where they share calls.
func TestLostReplies(t *testing.T) {
	t.Parallel()
	coretest.Each(t, func(t *testing.T, s *coretest.Server) {
		t.Parallel()
		behind := func(t *testing.T) (*redis.Client, []*coretest.Proxy) {
			proxy := coretest.StartProxy(t, s.Addr, nil)
			rdb := redis.NewClient(&redis.Options{Addr: proxy.Addr, ContextTimeoutEnabled: true})
			t.Cleanup(func() { rdb.Close() })
			return rdb, []*coretest.Proxy{proxy}
		}
		t.Run("alone", func(t *testing.T) {
			rdb, proxies := behind(t)
			if unknown, faults := lose(t, rdb, s.Client(t), proxies, 8, core.Unbatched()); unknown != faults {
				t.Errorf("unknown %d, faults %d; want them equal", unknown, faults)
			}
		})
		t.Run("sharing calls", func(t *testing.T) {
			rdb, proxies := behind(t)
			if unknown, faults := lose(t, rdb, s.Client(t), proxies, 64, core.Combining(2, 8, 4096)); unknown <= faults {
				t.Errorf("unknown %d, faults %d; want more of the former", unknown, faults)
			}
		})
	})
}

func TestLostRepliesOnACluster(t *testing.T) {
	t.Parallel()
	c := coretest.StartClusterBehind(t, coretest.Redis7, func(addr string) *coretest.Proxy {
		return coretest.StartProxy(t, addr, nil)
	})
	rdb := c.Client(t, func(o *redis.ClusterOptions) { o.ContextTimeoutEnabled = true })
	if unknown, faults := lose(t, rdb, rdb, c.Proxies, 8); unknown != faults {
		t.Errorf("unknown %d, faults %d; want them equal", unknown, faults)
	}
}

const lossy = 2000

// lose has callers make 2,000 decisions on 50 keys through faulty proxies, and
// counts on a client that sees what the servers hold. It returns how many
// decisions are unknown and how many calls were lost.
func lose(t *testing.T, rdb, truth redis.UniversalClient, proxies []*coretest.Proxy, callers int, opts ...core.Option) (unknown, faults int64) {
	var counts tally
	p := core.Policy{Name: "lost", Algorithm: core.FixedWindow, Limit: 1_000_000, Window: long}
	l := newLimiter(t, rdb, append(opts, core.Timeout(2*time.Second))...)
	var keys []string
	for range 50 {
		keys = append(keys, someone())
		// Knows the script from here on, on every node: a call is then one request.
		allow(t, l, p, keys[len(keys)-1], 0)
	}
	for _, proxy := range proxies {
		proxy.SetFault(breakOneIn100)
	}
	var workers sync.WaitGroup
	var next atomic.Int64
	for range callers {
		workers.Go(func() {
			for i := next.Add(1); i <= lossy; i = next.Add(1) {
				counts.count(l.Allow(t.Context(), p, keys[int(i)%len(keys)]))
			}
		})
	}
	workers.Wait()
	for _, proxy := range proxies {
		proxy.SetFault(nil)
		c := proxy.Counts()
		faults += c.Swallowed + c.Cut + c.Truncated
	}
	counted := spentOn(t, newLimiter(t, truth), p, keys)
	admitted, unknown := counts.admitted.Load(), counts.unknown.Load()
	t.Logf("answered %d, unknown %d, calls lost %d, counted by Redis %d", admitted, unknown, faults, counted)
	if counts.other.Load() != 0 || admitted+unknown != lossy {
		t.Errorf("%d calls were neither admitted nor unknown", counts.other.Load())
	}
	if faults == 0 {
		t.Error("no call was lost")
	}
	if counted < admitted || counted > admitted+unknown {
		t.Errorf("Redis counted %d; want %d to %d", counted, admitted, admitted+unknown)
	}
	return unknown, faults
}

func spentOn(t *testing.T, l *core.Limiter, p core.Policy, keys []string) int64 {
	t.Helper()
	var sum int64
	for _, key := range keys {
		sum += p.Limit - allow(t, l, p, key, 0).Remaining
	}
	return sum
}

// Scripts that are flushed every millisecond cost a second round trip and no
// answer, in single calls and in batches.
func TestScriptsFlushedUnderLoad(t *testing.T) {
	t.Parallel()
	for _, k := range coretest.Kinds {
		t.Run(string(k), func(t *testing.T) {
			t.Parallel()
			s := coretest.Start(t, k) // its own server: the flushes are nobody else's
			l, p := limiter(t, s), core.Policy{Name: "flush", Algorithm: core.FixedWindow, Limit: 1 << 40, Window: long}
			stop := flushScripts(t, s, 3*time.Second)
			keys, answered := make([]string, 8), make([]int64, 8)
			var workers sync.WaitGroup
			for w := range keys {
				keys[w] = someone()
				workers.Go(func() { answered[w] = hammer(t, l, p, keys[w], w%2 == 1, stop) })
			}
			workers.Wait()
			var sum int64
			for _, n := range answered {
				sum += n
			}
			if counted := spentOn(t, l, p, keys); counted != sum || sum == 0 {
				t.Errorf("Redis counted %d, answered were %d; want the same", counted, sum)
			}
			t.Logf("%d decisions, 0 errors", sum)
		})
	}
}

// flushScripts flushes every millisecond until the returned channel closes.
func flushScripts(t *testing.T, s *coretest.Server, d time.Duration) <-chan struct{} {
	stop, rdb := make(chan struct{}), s.Client(t)
	go func() {
		defer close(stop)
		for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if err := rdb.ScriptFlush(context.Background()).Err(); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	return stop
}

// hammer charges key until stop, in single calls or in batches of ten, and
// returns how many charges were answered.
func hammer(t *testing.T, l *core.Limiter, p core.Policy, key string, batches bool, stop <-chan struct{}) (answered int64) {
	decisions := [][]core.Charge{{{Policy: p, Key: key, Cost: 1}}}
	for batches && len(decisions) < 10 {
		decisions = append(decisions, decisions[0])
	}
	for {
		select {
		case <-stop:
			return answered
		default:
		}
		if _, err := l.Decide(t.Context(), decisions...); err != nil {
			t.Error(err)
			return answered
		}
		answered += int64(len(decisions))
	}
}
