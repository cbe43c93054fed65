package core_test

import (
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// Every key expires by itself, 0 < PTTL <= 2 x Window + 1 s, whatever wrote it.
func TestEveryKeyExpires(t *testing.T) {
	eachVariant(t, func(t *testing.T, s *coretest.Server, apply func(core.Policy) core.Policy) {
		l, rdb := limiter(t, s), s.Client(t)
		for _, window := range []time.Duration{time.Millisecond, 1500 * time.Millisecond, time.Minute, 24 * time.Hour} {
			p, key := apply(core.Policy{Name: "expiry", Limit: 50, Window: window}), someone()
			seen := 0
			for i := range 120 {
				allow(t, l, p, key, int64(i%3))
				left, err := rdb.PTTL(t.Context(), l.RedisKey(p, key)).Result()
				if err != nil {
					t.Fatal(err)
				}
				if left == noKey {
					continue // before the first charge, or gone as it should
				}
				seen++
				if left <= 0 || left > 2*window+time.Second {
					t.Fatalf("window %v, call %d: PTTL %v; want above 0 and at most %v", window, i+1, left, 2*window+time.Second)
				}
			}
			if seen == 0 {
				t.Errorf("window %v: no key was ever seen", window)
			}
		}
	})
}

// noKey is what PTTL says of a key that is not there.
const noKey = time.Duration(-2)

// A key whose expiry somebody removed gets one with the next write.
func TestExpiryComesBack(t *testing.T) {
	eachVariant(t, func(t *testing.T, s *coretest.Server, apply func(core.Policy) core.Policy) {
		l, rdb, key := limiter(t, s), s.Client(t), someone()
		p := apply(core.PerMinute("persist", 50))
		allow(t, l, p, key, 1)
		rdb.Persist(t.Context(), l.RedisKey(p, key))
		allow(t, l, p, key, 1)
		if left := rdb.PTTL(t.Context(), l.RedisKey(p, key)).Val(); left <= 0 {
			t.Errorf("PTTL %v after a write; want it set", left)
		}
	})
}

// Denied calls and looks change no byte of what Redis holds.
func TestDenialsWriteNothing(t *testing.T) {
	eachVariant(t, func(t *testing.T, s *coretest.Server, apply func(core.Policy) core.Policy) {
		if s.Kind == coretest.Mini {
			t.Skip("miniredis's DUMP leaves out what a hash and a sorted set hold; the real servers show it")
		}
		l, rdb, key := limiter(t, s), s.Client(t), someone()
		p := apply(core.Policy{Name: "deny", Limit: 20, Window: time.Hour})
		for allow(t, l, p, key, 1).Allowed {
		}
		dump := func() string {
			expiry := rdb.PExpireTime(t.Context(), l.RedisKey(p, key)).Val()
			return rdb.Dump(t.Context(), l.RedisKey(p, key)).Val() + expiry.String()
		}
		before := dump()
		for i := range 50 {
			if d := allow(t, l, p, key, []int64{1, 5, 20, 21, 0}[i%5]); d.Allowed != (d.Cost == 0) {
				t.Fatalf("%s", show(d))
			}
		}
		if dump() != before {
			t.Errorf("the state or its expiry changed by denials")
		}
		stranger := someone()
		if d := allow(t, l, p, stranger, 21); d.Allowed || d.RetryAfter != core.Never || d.Remaining != 20 {
			t.Errorf("cost above capacity: %s; want a denial for ever", show(d))
		}
		if n := rdb.Exists(t.Context(), l.RedisKey(p, stranger)).Val(); n != 0 {
			t.Error("a denial on an idle key wrote a state")
		}
	})
}

// With FieldTTL each sub-window leaves by itself, without a further call.
func TestFieldsExpire(t *testing.T) {
	coretest.Each(t, func(t *testing.T, s *coretest.Server) {
		if !hasFieldTTL(s) {
			t.Skipf("%s has no HPEXPIREAT", s.Kind)
		}
		l, rdb, key := limiter(t, s), s.Client(t), someone()
		p := core.Policy{Name: "fields", Limit: 50, Window: time.Hour, FieldTTL: true}
		allow(t, l, p, key, 3)
		redisKey := l.RedisKey(p, key)
		for _, field := range rdb.HKeys(t.Context(), redisKey).Val() {
			left := rdb.HPTTL(t.Context(), redisKey, field).Val()
			if field != "m" && (len(left) != 1 || left[0] <= 0 || left[0] > (time.Hour+time.Minute).Milliseconds()) {
				t.Errorf("field %s: HPTTL %v ms; want up to a window and a sub-window", field, left)
			}
		}
		short := core.Policy{Name: "short", Limit: 50, Window: 20 * time.Millisecond, SubWindows: 1, FieldTTL: true}
		allow(t, l, short, key, 3)
		await(t, "the sub-window to leave", func() bool {
			return rdb.HLen(t.Context(), l.RedisKey(short, key)).Val() <= 1
		})
	})
}

func TestFieldTTLWhereThereIsNone(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		if hasFieldTTL(s) {
			t.Skipf("%s has HPEXPIREAT", s.Kind)
		}
		l, key := limiter(t, s), someone()
		p := core.Policy{Name: "fields", Limit: 5, Window: time.Hour, FieldTTL: true, OnOutage: core.Closed}
		for range 3 {
			d, err := l.Allow(t.Context(), p, key)
			mustSay(t, err, core.ErrConfiguration, `policy "fields"`, "FieldTTL", "HPEXPIREAT", "Redis 7.4", "Valkey 9")
			if d.Allowed || d.Degraded != core.FailedClosed {
				t.Errorf("%s; want it to follow OnOutage", show(d))
			}
		}
		p.FieldTTL = false
		if d := allow(t, l, p, key, 1); d.Remaining != 4 {
			t.Errorf("%s; want the refused calls not charged", show(d))
		}
	})
}
