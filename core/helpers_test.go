package core_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

func TestMain(m *testing.M) { coretest.Main(m) }

// A variant makes a policy that has a name and a limit one of its kind.
type variant struct {
	name  string
	apply func(core.Policy) core.Policy
}

// variants are the algorithms, and the settings that change what a script does.
var variants = []variant{
	{"FixedWindow", with(core.FixedWindow)},
	{"SlidingLog", with(core.SlidingLog)},
	{"CompactLog", with(core.CompactLog)},
	{"SlidingWindow", with(core.SlidingWindow)},
	{"SlidingWindow,Weighted", func(p core.Policy) core.Policy { p.Edge = core.Weighted; return p }},
	{"SlidingWindow,FieldTTL", func(p core.Policy) core.Policy { p.FieldTTL = true; return p }},
	{"TokenBucket", with(core.TokenBucket)},
	{"LeakyBucket", with(core.LeakyBucket)},
	{"GCRA", with(core.GCRA)},
	{"AdaptiveWindow", with(core.AdaptiveWindow)},
	{"LayeredWindow", with(core.LayeredWindow)},
	{"LayeredWindow,Limits", layered},
}

func with(a core.Algorithm) func(core.Policy) core.Policy {
	return func(p core.Policy) core.Policy { p.Algorithm = a; return p }
}

// layered has limits of its own in each layer, none tighter than Limit: they
// work, and must not change what one who spends all of it at once is told.
func layered(p core.Policy) core.Policy {
	p.Algorithm, p.CoarseLimit, p.FineLimit = core.LayeredWindow, p.Limit, p.Limit
	return p
}

// eachVariant runs a test for every variant on every server. Servers without
// field expiry are left out of the variant that needs it.
func eachVariant(t *testing.T, run func(t *testing.T, s *coretest.Server, apply func(core.Policy) core.Policy)) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
				if v.apply(core.Policy{}).FieldTTL && !hasFieldTTL(s) {
					t.Skipf("%s has no HPEXPIREAT; TestFieldTTLWhereThereIsNone covers it", s.Kind)
				}
				t.Parallel()
				run(t, s, v.apply)
			})
		})
	}
}

func hasFieldTTL(s *coretest.Server) bool {
	return s.Kind == coretest.Redis8 || s.Kind == coretest.Valkey9
}

// limiter returns a Limiter on s with a deadline that a busy machine keeps.
func limiter(t testing.TB, s *coretest.Server, opts ...core.Option) *core.Limiter {
	t.Helper()
	return newLimiter(t, s.Client(t), opts...)
}

var identities atomic.Int64

// someone returns a key that no other test uses.
func someone() string { return fmt.Sprint("someone-", identities.Add(1)) }

// clock is a virtual time in µs, for scripts. It starts years ahead, so that
// no field whose expiry is set by it expires by the server's own clock.
type clock struct{ now atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.now.Store(time.Now().Add(10 * 365 * 24 * time.Hour).UnixMicro())
	return c
}

func (c *clock) time() time.Time         { return time.UnixMicro(c.now.Load()) }
func (c *clock) option() core.Option     { return core.Clock(c.time) }
func (c *clock) advance(d time.Duration) { c.now.Add(d.Microseconds()) }

// startWindow moves c to the start of a window, so that a story can count from 0.
func (c *clock) startWindow(window time.Duration) {
	w := window.Microseconds()
	c.now.Store((c.now.Load()/w + 1) * w)
}

func allow(t testing.TB, l *core.Limiter, p core.Policy, key string, cost int64) core.Decision {
	t.Helper()
	d, err := l.AllowN(t.Context(), p, key, cost)
	if err != nil {
		t.Fatalf("AllowN(%+v, cost %d): %v", p, cost, err)
	}
	return d
}

func newLimiter(t testing.TB, rdb redis.UniversalClient, opts ...core.Option) *core.Limiter {
	t.Helper()
	l, err := core.New(rdb, append([]core.Option{core.Timeout(10 * time.Second)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// await polls until done, and gives up where it never will be.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 60_000 {
		if done() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("gave up waiting for %s", what)
}

// mustSay checks that err is of a class and that its text holds each part.
func mustSay(t *testing.T, err, class error, parts ...string) {
	t.Helper()
	if !errors.Is(err, class) {
		t.Fatalf("error %v; want one that is %q", err, class)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}
