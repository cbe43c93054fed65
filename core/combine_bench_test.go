package core_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// BenchmarkCallers compares decisions that share calls with such that do not,
// for many concurrent callers over 10,000 keys: rounds of one and the other
// take turns, so that a busy machine is no advantage to either. The figures are
// those of decisions that share calls; x- are their ratios to the others.
func BenchmarkCallers(b *testing.B) {
	for _, callers := range []int{1, 8, 64, 256, 1024} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) { compareCallers(b, callers) })
	}
}

const inRound = 1000 // decisions of one round for each of 64 callers

func compareCallers(b *testing.B, callers int) {
	s := coretest.Shared(b, coretest.Redis7)
	control := s.Client(b)
	var alone, shared rounds
	for b.Loop() {
		shared.round(b, s, control, callers)
		alone.round(b, s, control, callers, core.Unbatched())
	}
	shared.report(b, "", rounds{})
	alone.report(b, "alone-", rounds{})
	shared.report(b, "x-", alone)
}

// rounds is what rounds of decisions cost, one figure a round.
type rounds struct{ rate, p50, p99, cpu, allocs []float64 }

func (c *rounds) round(b *testing.B, s *coretest.Server, control *redis.Client, callers int, opts ...core.Option) {
	rdb := s.Client(b, func(o *redis.Options) { o.ContextTimeoutEnabled, o.PoolSize = true, 64 })
	l := newLimiter(b, rdb, opts...)
	p := core.Policy{Name: "callers", Algorithm: core.GCRA, Limit: 1_000_000, Window: time.Minute}
	run := func(decisions int) []time.Duration { return callAll(b, l, p, callers, decisions) }
	run(2000)
	decisions := inRound * min(callers, 64)
	cpu, allocs, start := redisCPU(b, control), mallocs(), time.Now()
	times := run(decisions)
	elapsed := time.Since(start)
	c.allocs = append(c.allocs, float64(mallocs()-allocs)/float64(decisions))
	c.cpu = append(c.cpu, float64((redisCPU(b, control)-cpu).Nanoseconds())/1000/float64(decisions))
	slices.Sort(times)
	c.rate = append(c.rate, float64(decisions)/elapsed.Seconds())
	c.p50 = append(c.p50, float64(times[len(times)/2].Microseconds()))
	c.p99 = append(c.p99, float64(times[len(times)*99/100].Microseconds()))
}

// callAll has callers make decisions in all, and returns how long each took.
func callAll(b *testing.B, l *core.Limiter, p core.Policy, callers, decisions int) []time.Duration {
	times := make([]time.Duration, decisions)
	var next atomic.Int64
	var running sync.WaitGroup
	for range callers {
		running.Go(func() {
			for i := next.Add(1) - 1; i < int64(decisions); i = next.Add(1) - 1 {
				start := time.Now()
				if _, err := l.Allow(context.Background(), p, tenThousand[i*7919%10_000]); err != nil {
					b.Error(err)
				}
				times[i] = time.Since(start)
			}
		})
	}
	running.Wait()
	return times
}

var tenThousand = func() (keys [10_000]string) {
	for i := range keys {
		keys[i] = fmt.Sprint("caller-", i)
	}
	return keys
}()

func (c *rounds) report(b *testing.B, name string, per rounds) {
	for _, f := range []struct {
		unit     string
		mine, of []float64
	}{
		{"decisions/s", c.rate, per.rate}, {"p50-µs", c.p50, per.p50}, {"p99-µs", c.p99, per.p99},
		{"redis-µs", c.cpu, per.cpu}, {"allocs", c.allocs, per.allocs},
	} {
		value := median(f.mine)
		if f.of != nil {
			value /= median(f.of)
		}
		b.ReportMetric(value, name+f.unit)
	}
	b.ReportMetric(0, "ns/op")
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}
