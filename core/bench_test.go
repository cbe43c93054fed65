package core_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// BenchmarkDecision measures what a decision costs: time and allocations here,
// CPU on Redis (INFO, user and system, less what the server spends idle), and
// how large a full key is. Each decision is admitted to a key that is nearly
// full, the dearest steady state there is: virtual time moves on by as much
// as makes room for one unit, so that a log removes a member for each it adds.
func BenchmarkDecision(b *testing.B) {
	for _, v := range variants {
		for _, limit := range []int64{100, 1000} {
			for _, batch := range []int{1, 64} {
				b.Run(fmt.Sprintf("%s/limit=%d/batch=%d", v.name, limit, batch), func(b *testing.B) {
					s := coretest.Shared(b, benchKind(b, v.apply(core.Policy{}).FieldTTL))
					benchmark(b, s, v.apply(core.PerMinute("bench", limit)), batch)
				})
			}
		}
	}
}

// benchKind is Redis 7 where it can run the variant.
func benchKind(b *testing.B, fieldTTL bool) coretest.Kind {
	if fieldTTL {
		return coretest.Redis8
	}
	return coretest.Redis7
}

func benchmark(b *testing.B, s *coretest.Server, p core.Policy, size int) {
	c := newClock()
	rdb := s.Client(b)
	l := newLimiter(b, rdb, c.option())
	decisions := make([][]core.Charge, size)
	for i := range decisions {
		decisions[i] = []core.Charge{{Policy: p, Key: someone(), Cost: 1}}
	}
	fill(b, l, c, p, decisions)
	b.ReportMetric(keySize(b, rdb, l, p, decisions[0][0].Key), "B/key")
	pause := p.Window / time.Duration(p.Limit)
	admitted := 0
	b.ReportAllocs()
	before := redisCPU(b, rdb)
	for b.Loop() {
		c.advance(pause)
		answers, err := l.Decide(context.Background(), decisions...)
		if err != nil {
			b.Fatal(err)
		}
		for _, a := range answers {
			admitted += int(min(1, a[0].Remaining+1)) * bit(a[0].Allowed)
		}
	}
	spent := redisCPU(b, rdb) - before
	done := float64(b.N) * float64(size)
	b.ReportMetric(spent.Seconds()*1e6/done, "redis-µs/decision")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/done, "ns/decision")
	b.ReportMetric(100*float64(admitted)/done, "%admitted")
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fill spends all of p's limit on every key, evenly over one window.
func fill(b *testing.B, l *core.Limiter, c *clock, p core.Policy, decisions [][]core.Charge) {
	for range p.Limit {
		c.advance(p.Window / time.Duration(p.Limit))
		if _, err := l.Decide(context.Background(), decisions...); err != nil {
			b.Fatal(err)
		}
	}
}

func keySize(b *testing.B, rdb *redis.Client, l *core.Limiter, p core.Policy, key string) float64 {
	size, err := rdb.MemoryUsage(context.Background(), l.RedisKey(p, key), 0).Result()
	if err != nil {
		b.Fatal(err)
	}
	return float64(size)
}

// redisCPU is what the server's main thread has used so far.
func redisCPU(b *testing.B, rdb *redis.Client) time.Duration {
	info, err := rdb.Info(context.Background(), "cpu").Result()
	if err != nil {
		b.Fatal(err)
	}
	var sum float64
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "used_cpu_sys_main_thread" || name == "used_cpu_user_main_thread" {
			seconds, err := strconv.ParseFloat(value, 64)
			if err != nil {
				b.Fatal(err)
			}
			sum += seconds
		}
	}
	return time.Duration(sum * float64(time.Second))
}
