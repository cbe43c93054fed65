package core_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// Both logs, side by side on one server, give the same answers to whatever is
// asked, wherever the clock goes and however the policy changes. Both expire
// at the same moment, too, so that no pause of the machine tells them apart.
func TestCompactLogAnswersAsTheSlidingLog(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		t.Parallel()
		wanted := 100_000
		if s.Kind == coretest.Mini {
			wanted = 10_000 // the claim is about real servers
		}
		seed := rand.Uint64()
		b := &bothLogs{Rand: rand.New(rand.NewPCG(seed, 0)), clock: newClock()}
		b.limiter = limiter(t, s, b.clock.option())
		for b.steps < wanted {
			b.life(t)
			if t.Failed() {
				t.Fatalf("seed %d, step %d", seed, b.steps)
			}
		}
		t.Logf("%d steps, %d denied, 0 differences", b.steps, b.denied)
		if b.denied < wanted/20 || b.denied > wanted*19/20 {
			t.Errorf("%d of %d denied; want both answers often", b.denied, b.steps)
		}
	})
}

// bothLogs asks the two logs the same.
type bothLogs struct {
	*rand.Rand
	clock         *clock
	limiter       *core.Limiter
	steps, denied int
}

// life is the history of 40 keys, each with a limit of its own that changes.
// Half of all lives see 2^48 µs go by, where what a ring keeps of a time
// starts from 0 again.
func (b *bothLogs) life(t *testing.T) {
	window := windows[b.IntN(len(windows))]
	if b.IntN(2) == 0 {
		b.clock.now.Store(8<<48 - b.Int64N(3*window.Microseconds()))
	}
	keys, last := make([]string, 40), make([]core.Decision, 40)
	for i := range keys {
		keys[i] = someone()
		last[i].Policy = core.Policy{Name: "log", Algorithm: core.SlidingLog, Limit: b.limit(), Window: window}
	}
	for range 60 {
		b.clock.advance(b.pause(window, last[b.IntN(len(last))]))
		asked := make([][]core.Charge, 0, 2*len(keys))
		for i, key := range keys {
			p := b.change(last[i].Policy)
			c := core.Charge{Policy: p, Key: key, Cost: b.cost(p.Limit, last[i].Remaining)}
			asked = append(asked, []core.Charge{c})
			c.Policy.Algorithm = core.CompactLog
			asked = append(asked, []core.Charge{c})
		}
		got, err := b.limiter.Decide(context.Background(), asked...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range keys {
			last[i] = got[2*i][0]
			b.compare(t, last[i], got[2*i+1][0])
		}
	}
}

func (b *bothLogs) compare(t *testing.T, want, got core.Decision) {
	b.steps++
	if !want.Allowed {
		b.denied++
	}
	got.Policy.Algorithm = core.SlidingLog
	if got != want {
		t.Errorf("step %d\nSlidingLog %s\nCompactLog %s", b.steps, show(want), show(got))
	}
}

func (b *bothLogs) limit() int64 {
	return 1 + b.Int64N([]int64{3, 12, 100, 1500}[b.IntN(4)])
}

func (b *bothLogs) change(p core.Policy) core.Policy {
	if b.IntN(20) == 0 {
		p.Limit = b.limit()
	}
	if b.IntN(100) == 0 {
		p.Window = windows[b.IntN(len(windows))]
	}
	return p
}

func (b *bothLogs) cost(limit, left int64) int64 {
	switch b.IntN(10) {
	case 0:
		return 0
	case 1:
		return 1 + b.Int64N(limit)
	case 2:
		return []int64{limit, limit + 1, max(1, left), left + 1}[b.IntN(4)]
	case 3, 4:
		return 1 + limit/10
	}
	return 1 + b.Int64N(3)
}

// pause favours the instants at which something happens to one of the keys.
func (b *bothLogs) pause(window time.Duration, d core.Decision) time.Duration {
	off := time.Duration(b.IntN(3)-1) * time.Microsecond
	switch b.IntN(12) {
	case 0:
		return -time.Duration(b.Int64N(int64(window)))
	case 1:
		return -time.Duration(b.Int64N(int64(window/50) + 1000))
	case 2, 3:
		return max(0, d.NextAfter+off)
	case 4:
		return max(0, min(d.RetryAfter, d.ResetAfter)+off)
	case 5:
		return window + off
	case 6:
		return 0
	}
	return time.Duration(b.Int64N(int64(window / 8)))
}

// A million units at once, and all back at once.
func TestCompactLogOfAMillion(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		const million = 1_000_000
		c, key, rdb := newClock(), someone(), s.Client(t)
		l := limiter(t, s, c.option())
		p := core.Policy{Name: "million", Algorithm: core.CompactLog, Limit: million, Window: time.Minute}
		for range 2 {
			if d := allow(t, l, p, key, 1); !d.Allowed || d.Remaining != million-1 {
				t.Fatalf("%s", show(d))
			}
			if d := allow(t, l, p, key, million-1); !d.Allowed || d.Remaining != 0 || d.ResetAfter != time.Minute {
				t.Fatalf("%s", show(d))
			}
			if d := allow(t, l, p, key, million); d.Allowed || d.RetryAfter != time.Minute {
				t.Fatalf("%s", show(d))
			}
			if size := rdb.StrLen(t.Context(), l.RedisKey(p, key)).Val(); size > 9*million {
				t.Errorf("%d bytes; want at most 9 for each unit", size)
			}
			c.advance(time.Minute)
		}
	})
}

// A key costs at most 9 bytes for each unit that counted when it was last
// written, and 200, however it came to that: as MEMORY USAGE has it, with key
// name, bookkeeping and what the allocator rounds up to.
func TestCompactLogIsSmall(t *testing.T) {
	coretest.Each(t, func(t *testing.T, s *coretest.Server) {
		t.Parallel()
		c := newClock()
		m := &meter{l: limiter(t, s, c.option()), rdb: s.Client(t), clock: c}
		p := core.Policy{Name: "small", Algorithm: core.CompactLog, Limit: 5000, Window: time.Minute}
		thousand := p
		thousand.Limit = 1000
		for name, run := range map[string]func(key string){
			"one by one, and on around the ring": func(key string) {
				m.spend(t, p, key, 8000, 1, p.Window/5000)
			},
			"a thousand, and on around the ring": func(key string) {
				m.spend(t, thousand, key, 2300, 1, p.Window/1000)
			},
			"in lumps": func(key string) {
				for _, lump := range []int64{7, 100, 333, 3, 1000, 1} {
					m.spend(t, p, key, 20, lump, time.Millisecond)
				}
			},
			"all at once, then little by little": func(key string) {
				m.spend(t, p, key, 1, 5000, p.Window)
				m.spend(t, p, key, 700, 1, p.Window/500)
			},
			"full, then under a lower limit": func(key string) {
				m.spend(t, p, key, 5000, 1, p.Window/5000)
				for _, limit := range []int64{3000, 2999, 1000, 500, 100, 10, 1} {
					low := p
					low.Limit = limit
					c.advance(allow(t, m.l, low, key, 0).NextAfter)
					m.spend(t, low, key, 3, 1, time.Millisecond)
				}
			},
			"a tide": func(key string) {
				for _, pause := range []time.Duration{p.Window / 5000, p.Window / 100, p.Window / 2000, p.Window / 10} {
					m.spend(t, p, key, 600, 3, pause)
				}
			},
			"a clock that steps back": func(key string) {
				m.spend(t, p, key, 500, 3, p.Window/1000)
				c.advance(-time.Hour)
				m.spend(t, p, key, 100, 1, p.Window/200)
			},
		} {
			m.checked = 0
			run(someone())
			if m.checked < 10 {
				t.Errorf("%s: only %d sizes looked at", name, m.checked)
			}
			if t.Failed() {
				t.Fatal(name)
			}
		}
	})
}

// meter spends and looks how large the key is after each write.
type meter struct {
	l       *core.Limiter
	rdb     *redis.Client
	clock   *clock
	checked int
}

func (m *meter) spend(t *testing.T, p core.Policy, key string, times int, cost int64, pause time.Duration) {
	for range times {
		d := allow(t, m.l, p, key, cost)
		if d.Allowed {
			m.checked++
			alive := p.Limit - d.Remaining
			if size := m.size(t, p, key); size > 9*alive+200 {
				t.Fatalf("%d bytes for %d units; want at most %d", size, alive, 9*alive+200)
			}
		}
		m.clock.advance(pause)
	}
}

func (m *meter) size(t *testing.T, p core.Policy, key string) int64 {
	size, err := m.rdb.MemoryUsage(t.Context(), m.l.RedisKey(p, key), 0).Result()
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// A full key of 1,000 units needs 9.2 KB at most where the ZSET needs 100 KB;
// Valkey's needs 85.
func TestCompactLogAgainstTheSlidingLog(t *testing.T) {
	coretest.Each(t, func(t *testing.T, s *coretest.Server) {
		c := newClock()
		m := &meter{l: limiter(t, s, c.option()), rdb: s.Client(t), clock: c}
		compact := core.Policy{Name: "log", Algorithm: core.CompactLog, Limit: 1000, Window: time.Minute}
		zset, key := compact, someone()
		zset.Algorithm = core.SlidingLog
		for range 1000 {
			allow(t, m.l, compact, key, 1)
			allow(t, m.l, zset, key, 1)
			c.advance(37 * time.Millisecond)
		}
		small, large := m.size(t, compact, key), m.size(t, zset, key)
		t.Logf("CompactLog %d bytes, SlidingLog %d", small, large)
		least := int64(100_000)
		if s.Kind == coretest.Valkey9 {
			least = 85_000
		}
		if small > 9200 || large < least {
			t.Errorf("CompactLog %d bytes, SlidingLog %d; want at most 9200, and %d or more", small, large, least)
		}
	})
}

// Whatever became of a state, decisions go on: no error, nothing out of range,
// nothing large, and a window later all that was spent is back.
func TestDamagedCompactLog(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		t.Parallel()
		v := &vandal{rdb: s.Client(t), clock: newClock(), key: someone()}
		v.l = limiter(t, s, v.clock.option())
		masks := []byte{0xff, 1, 0x38, 0x80}
		if s.Kind == coretest.Mini {
			masks = masks[:1] // slow, and nothing here depends on the server
		}
		v.p = core.Policy{Name: "damaged", Algorithm: core.CompactLog, Limit: 20, Window: time.Minute}
		for name, sound := range v.states(t) {
			for length := range len(sound) {
				if look := v.survive(t, fmt.Sprint(name, " cut to ", length), sound[:length]); !look.Repaired {
					t.Errorf("%s cut to %d of %d bytes was not noticed", name, length, len(sound))
				}
			}
			v.survive(t, name+", a byte more", sound+"\x00")
			for i := range len(sound) {
				for _, mask := range masks {
					damaged := []byte(sound)
					damaged[i] ^= mask
					v.survive(t, fmt.Sprintf("%s, byte %d ^ %x", name, i, mask), string(damaged))
				}
			}
		}
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 0))
		for i := range 200 {
			v.survive(t, fmt.Sprint("seed ", seed, ", random ", i), randomRing(random))
		}
	})
}

// vandal damages one key's state.
type vandal struct {
	l     *core.Limiter
	rdb   *redis.Client
	clock *clock
	p     core.Policy
	key   string
}

// states are some that decisions leave: of one unit, full, and around the end.
func (v *vandal) states(t *testing.T) map[string]string {
	states, at := make(map[string]string), v.l.RedisKey(v.p, v.key)
	for name, units := range map[string]int{"one unit": 1, "a full ring": 20, "around the end": 33} {
		v.rdb.Del(t.Context(), at)
		for range units {
			v.clock.advance(v.p.Window / 20)
			allow(t, v.l, v.p, v.key, 1)
		}
		states[name] = v.rdb.Get(t.Context(), at).Val()
	}
	return states
}

// survive puts state in place and returns what a look says of it.
func (v *vandal) survive(t *testing.T, name, state string) core.Decision {
	t.Helper()
	at, before := v.l.RedisKey(v.p, v.key), v.clock.now.Load()
	defer v.clock.now.Store(before)
	v.rdb.Set(t.Context(), at, state, 0)
	look := allow(t, v.l, v.p, v.key, 0)
	for _, cost := range []int64{20, 1, 7} {
		d := allow(t, v.l, v.p, v.key, cost)
		if longest := v.p.Window; d.ResetAfter > longest || d.RetryAfter > longest {
			t.Fatalf("%s: %s; want no wait above %v", name, show(d), longest)
		}
	}
	if size := v.rdb.StrLen(t.Context(), at).Val(); size > 400 && size > int64(len(state)) {
		t.Errorf("%s: %d bytes afterwards", name, size)
	}
	v.clock.advance(v.p.Window)
	if d := allow(t, v.l, v.p, v.key, 20); !d.Allowed || d.Repaired {
		t.Errorf("%s: a window later %s", name, show(d))
	}
	return look
}

// randomRing is a string of a ring's length and mark, or not, random else.
func randomRing(random *rand.Rand) string {
	slots := random.IntN(40)
	text := make([]byte, 23+6*slots)
	for i := range text {
		text[i] = byte(random.Uint32())
	}
	if random.IntN(4) > 0 {
		copy(text, fmt.Sprintf("\xc1\x00\x00%c\x00\x00%c\x00\x00%c", slots, random.IntN(slots+1), random.IntN(slots+1)))
		copy(text[16:], "\x00\x06") // newest near our days
	}
	if random.IntN(8) == 0 {
		return strings.Repeat(string(text), random.IntN(30))
	}
	return string(text)
}
