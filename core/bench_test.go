package core_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// BenchmarkDecision measures what a decision costs: time and allocations here,
// CPU on Redis (its main thread's, by INFO), and how large a full key is.
//
// admit: each decision is admitted to a key that is nearly full, the dearest
// steady state there is: virtual time moves on by as much as makes room for
// one unit, so that a log removes a member for each it adds and a sliding
// window goes on to the next sub-window. deny: each decision is denied by a
// full key, as under attack.
//
// Yardstick is the least that any limiter does, in a script of its own: GET
// and SET PX, and a list of integers for an answer. Machines differ and have
// neighbours; compare with it, in one run.
func BenchmarkDecision(b *testing.B) {
	for _, size := range []int{1, 64} {
		b.Run(fmt.Sprintf("Yardstick/batch=%d", size), func(b *testing.B) { yardstick(b, size) })
	}
	wide := variant{"SlidingWindow,600", func(p core.Policy) core.Policy { p.SubWindows = 600; return p }}
	for _, v := range append(slices.Clone(variants), wide) {
		for _, limit := range []int64{100, 1000} {
			for _, size := range []int{1, 64} {
				for _, outcome := range []string{"admit", "deny"} {
					b.Run(fmt.Sprintf("%s/limit=%d/batch=%d/%s", v.name, limit, size, outcome), func(b *testing.B) {
						benchmark(b, v.apply(core.PerMinute("bench", limit)), size, outcome == "admit")
					})
				}
			}
		}
	}
}

// benchServer is Redis 7 where it can run the policy.
func benchServer(b *testing.B, p core.Policy) *coretest.Server {
	if p.FieldTTL {
		return coretest.Shared(b, coretest.Redis8)
	}
	return coretest.Shared(b, coretest.Redis7)
}

func benchmark(b *testing.B, p core.Policy, size int, admit bool) {
	c, rdb := newClock(), benchServer(b, p).Client(b)
	l := newLimiter(b, rdb, c.option())
	decisions := make([][]core.Charge, size)
	for i := range decisions {
		decisions[i] = []core.Charge{{Policy: p, Key: someone(), Cost: 1}}
	}
	fill(b, l, c, p, decisions)
	pause := p.Window / time.Duration(p.Limit)
	if !admit {
		pause = 0
		spendAll(b, l, decisions)
	}
	admitted := 0
	measure(b, rdb, size, func() {
		c.advance(pause)
		answers, err := l.Decide(context.Background(), decisions...)
		if err != nil {
			b.Fatal(err)
		}
		for _, a := range answers {
			admitted += one(a[0].Allowed)
		}
	})
	b.ReportMetric(100*float64(admitted)/float64(b.N*size), "%admitted")
	b.ReportMetric(keySize(b, rdb, l.RedisKey(p, decisions[0][0].Key)), "B/key")
}

// measure runs call, which makes size decisions, and reports what one costs.
func measure(b *testing.B, rdb *redis.Client, size int, call func()) {
	b.ReportAllocs()
	before := redisCPU(b, rdb)
	for b.Loop() {
		call()
	}
	decisions := float64(b.N * size)
	b.ReportMetric(float64((redisCPU(b, rdb)-before).Nanoseconds())/1000/decisions, "redis-µs/decision")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/decisions, "ns/decision")
}

func yardstick(b *testing.B, size int) {
	rdb := coretest.Shared(b, coretest.Redis7).Client(b)
	script := redis.NewScript(`
local answer = {}
for i, key in ipairs(KEYS) do
  redis.call('GET', key)
  redis.call('SET', key, '1760000000000000 100', 'PX', '61000')
  answer[3 * i - 2], answer[3 * i - 1], answer[3 * i] = i, i, i
end
return answer`)
	keys, args := make([]string, size), make([]any, size)
	for i := range keys {
		keys[i], args[i] = "yardstick:{"+someone()+"}:bench", "1 1"
	}
	measure(b, rdb, size, func() {
		if err := script.Run(context.Background(), rdb, keys, args...).Err(); err != nil {
			b.Fatal(err)
		}
	})
}

func one(b bool) int {
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

// spendAll spends what every key has left, and no time passes any more.
func spendAll(b *testing.B, l *core.Limiter, decisions [][]core.Charge) {
	for _, d := range decisions {
		left := allow(b, l, d[0].Policy, d[0].Key, 0).Remaining
		allow(b, l, d[0].Policy, d[0].Key, left)
	}
}

func keySize(b *testing.B, rdb *redis.Client, key string) float64 {
	size, err := rdb.MemoryUsage(context.Background(), key, 0).Result()
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
