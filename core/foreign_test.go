package core_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

const huge = "99999999999999999999999999999999"

// plants puts what is not ours under a key.
var plants = map[string]func(ctx context.Context, rdb redis.Cmdable, key string) error{
	"text":             set("garbage"),
	"empty text":       set(""),
	"a NUL":            set("\x00"),
	"huge number":      set(huge),
	"huge numbers":     set(huge + " " + huge + " " + huge + " " + huge),
	"negative numbers": set("-5 -5 -5 -5"),
	"fractions":        set("1.5 1.5"),
	"hex":              set("0x10 0x10"),
	"one MiB":          set(string(make([]byte, 1<<20))),
	"list": func(ctx context.Context, rdb redis.Cmdable, key string) error {
		return rdb.RPush(ctx, key, "a", "b").Err()
	},
	"set": func(ctx context.Context, rdb redis.Cmdable, key string) error {
		return rdb.SAdd(ctx, key, "a", "b").Err()
	},
	"hash": func(ctx context.Context, rdb redis.Cmdable, key string) error {
		return rdb.HSet(ctx, key, "a", "b", "1", huge).Err()
	},
	"hash of our shape, garbage in it": func(ctx context.Context, rdb redis.Cmdable, key string) error {
		return rdb.HSet(ctx, key, "m", "x", "5", "5").Err()
	},
	"hash of our shape, numbers in it": func(ctx context.Context, rdb redis.Cmdable, key string) error {
		return rdb.HSet(ctx, key, "m", "1 1 1 9007199254740993 1 1 1", "5", "5").Err()
	},
	"hash of no width": func(ctx context.Context, rdb redis.Cmdable, key string) error {
		return rdb.HSet(ctx, key, "m", "0 0 0 0 0 0 5", "0", "0").Err()
	},
	"hash of another width, garbage in it": func(ctx context.Context, rdb redis.Cmdable, key string) error {
		return rdb.HSet(ctx, key, "m", "7 3 1 1 0 1 5", "x", "y", "2", huge).Err()
	},
	"layers of no width": func(ctx context.Context, rdb redis.Cmdable, key string) error {
		return rdb.HSet(ctx, key, "m", "0 2 3 1 0 0 0 0 5", "c", "0 0:0", "0", " 1:0").Err()
	},
	"layers of another width, nothing else": func(ctx context.Context, rdb redis.Cmdable, key string) error {
		return rdb.HSet(ctx, key, "m", "7 2 3 1 0 0 0 0 5").Err()
	},
	"layers of another width, garbage in them": func(ctx context.Context, rdb redis.Cmdable, key string) error {
		return rdb.HSet(ctx, key, "m", "7 2 3 1 0 0 0 0 5", "c", "0 0:0 1:3", "0", " 1:0", "1", "x").Err()
	},
	"layers of another width, out of order": func(ctx context.Context, rdb redis.Cmdable, key string) error {
		return rdb.HSet(ctx, key, "m", "7 2 3 1 0 0 0 0 5", "c", "0 0:4 1:1", "0", " 1:0", "1", " 0:0").Err()
	},
	"sorted set": func(ctx context.Context, rdb redis.Cmdable, key string) error {
		return rdb.ZAdd(ctx, key, redis.Z{Score: 5, Member: "a"}, redis.Z{Score: -1e300, Member: huge}).Err()
	},
}

func set(value string) func(context.Context, redis.Cmdable, string) error {
	return func(ctx context.Context, rdb redis.Cmdable, key string) error {
		return rdb.Set(ctx, key, value, 0).Err()
	}
}

// Whatever stands under a key, one decision later it is a valid state: no
// error, no panic, no unlimited key, and no key shut for ever.
func TestForeignDataIsRepaired(t *testing.T) {
	eachVariant(t, func(t *testing.T, s *coretest.Server, apply func(core.Policy) core.Policy) {
		l, rdb := limiter(t, s), s.Client(t)
		p := apply(core.Policy{Name: "foreign", Limit: 10, Window: long / 2})
		for name, plant := range plants {
			for _, cost := range []int64{1, 10, 11} {
				key := someone()
				if err := plant(t.Context(), rdb, l.RedisKey(p, key)); err != nil {
					t.Fatal(err)
				}
				checkRepair(t, l, rdb, p, key, fmt.Sprint(name, ", cost ", cost), cost)
			}
		}
	})
}

func checkRepair(t *testing.T, l *core.Limiter, rdb *redis.Client, p core.Policy, key, name string, cost int64) {
	before := rdb.Dump(t.Context(), l.RedisKey(p, key)).Val()
	if look := allow(t, l, p, key, 0); rdb.Dump(t.Context(), l.RedisKey(p, key)).Val() != before || !look.Repaired {
		t.Errorf("%s: a look changed it, or did not tell: %s", name, show(look))
	}
	first := allow(t, l, p, key, cost)
	if !first.Repaired {
		t.Errorf("%s: %s; want it repaired and said so", name, show(first))
	}
	if first.Allowed != (cost <= 10) {
		t.Errorf("%s: %s", name, show(first))
	}
	admitted := cost
	if !first.Allowed {
		admitted = 0
	}
	for range 30 {
		d := allow(t, l, p, key, 1)
		if d.Repaired {
			t.Fatalf("%s: repaired twice: %s", name, show(d))
		}
		if d.Allowed {
			admitted++
		}
	}
	if admitted != 10 {
		t.Errorf("%s: admitted %d after the repair; want 10", name, admitted)
	}
}

// A state that another algorithm, or another program, left is repaired in a
// joint decision too, and the other charges are judged as ever.
func TestForeignDataInAJointDecision(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		l, rdb, key := limiter(t, s), s.Client(t), someone()
		good, bad := core.PerHour("good", 5), core.PerHour("bad", 5)
		rdb.Set(t.Context(), l.RedisKey(bad, key), "garbage", time.Hour)
		ds, err := l.AllowAll(t.Context(), core.Charge{good, key, 2}, core.Charge{bad, key, 2})
		if err != nil || !core.Allowed(ds) || ds[0].Repaired || !ds[1].Repaired || ds[1].Remaining != 3 {
			t.Errorf("%+v, %v", ds, err)
		}
	})
}
