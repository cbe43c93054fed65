package coretest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

const count = "return redis.call('INCR', KEYS[1])"

// rig is a proxy before a server, a client on either side of it, and a key.
type rig struct {
	proxy           *Proxy
	through, direct *redis.Client
	key             string
}

func newRig(t *testing.T, s *Server, fault func(n int64) Fault) *rig {
	t.Helper()
	p := StartProxy(t, s.Addr, fault)
	through := s.Client(t, func(o *redis.Options) {
		o.Addr = p.Addr
		o.MaxRetries = -1 // one call, one request
	})
	return &rig{p, through, s.Client(t), fmt.Sprint(t.Name(), rigs.Add(1))}
}

// rigs numbers the rigs: each has a key of its own on a server they share.
var rigs atomic.Int64

// call counts one on the server through the proxy, and waits so long for it.
func (r *rig) call(t *testing.T, wait time.Duration) (int, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	return r.through.Eval(ctx, count, []string{r.key}).Int()
}

// counted is how often the server has run the script.
func (r *rig) counted(t *testing.T) int {
	t.Helper()
	n, err := r.direct.Get(t.Context(), r.key).Int()
	if err != nil && !errors.Is(err, redis.Nil) {
		t.Fatal(err)
	}
	return n
}

// second breaks the second request in the given way and no other.
func second(f Fault) func(n int64) Fault {
	return func(n int64) Fault {
		if n == 2 {
			return f
		}
		return Fault{}
	}
}

const (
	soon  = 50 * time.Millisecond // long enough for a reply that will not come
	later = 10 * time.Second      // and for one that will
)

func TestProxyBreaksTheChosenReply(t *testing.T) {
	for _, c := range []struct {
		name   string
		fault  Fault
		wait   time.Duration
		broken func(error) bool
		runs   int // what the server has counted after three calls
		counts Counts
	}{
		{"swallow", Fault{Action: Swallow}, soon, timedOut, 3, Counts{Swallowed: 1}},
		{"cut", Fault{Action: Cut}, later, hungUp, 3, Counts{Cut: 1}},
		{"truncate", Fault{Action: Truncate, Keep: 2}, later, hungUp, 3, Counts{Truncated: 1}},
		{"drop", Fault{Action: Drop}, later, hungUp, 2, Counts{Dropped: 1}},
		{"delay", Fault{Delay: time.Hour}, soon, timedOut, 3, Counts{Delayed: 1}},
		{"short delay", Fault{Delay: time.Millisecond}, later, noError, 3, Counts{Delayed: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			EachWithMini(t, func(t *testing.T, s *Server) {
				r := newRig(t, s, second(c.fault))
				if n, err := r.call(t, later); n != 1 || err != nil {
					t.Errorf("before the fault: %d, %v", n, err)
				}
				if _, err := r.call(t, c.wait); !c.broken(err) {
					t.Errorf("broken call: %v", err)
				}
				// The reply is this call's own, not the one that went missing.
				if n, err := r.call(t, later); n != c.runs || err != nil {
					t.Errorf("after the fault: %d, %v; want %d", n, err, c.runs)
				}
				if n := r.counted(t); n != c.runs {
					t.Errorf("server counted %d, want %d", n, c.runs)
				}
				c.counts.Requests = 3
				if got := r.proxy.Counts(); got != c.counts {
					t.Errorf("proxy counted %+v, want %+v", got, c.counts)
				}
			})
		})
	}
}

func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		err != nil && strings.Contains(err.Error(), "connection reset")
}

func noError(err error) bool { return err == nil }

func TestProxyTruncatesAtEveryByte(t *testing.T) {
	EachWithMini(t, func(t *testing.T, s *Server) {
		const reply = ":1\r\n"
		for keep := range len(reply) + 2 {
			r := newRig(t, s, func(int64) Fault { return Fault{Action: Truncate, Keep: keep} })
			_, err := r.call(t, later)
			if whole := keep >= len(reply); whole != (err == nil) {
				t.Errorf("%d of %d bytes: %v", keep, len(reply), err)
			}
			if n := r.counted(t); n != 1 {
				t.Errorf("%d bytes: server counted %d", keep, n)
			}
		}
	})
}

func TestProxyBreaksScriptsAlone(t *testing.T) {
	EachWithMini(t, func(t *testing.T, s *Server) {
		r := newRig(t, s, func(int64) Fault { return Fault{Action: Cut} })
		if err := r.through.Set(t.Context(), r.key, "7", time.Minute).Err(); err != nil {
			t.Error(err)
		}
		if got := r.proxy.Counts(); got != (Counts{}) {
			t.Errorf("counted %+v before any script", got)
		}
		sha := redis.NewScript(count).Hash()
		if err := r.through.EvalSha(t.Context(), sha, []string{r.key}).Err(); !hungUp(err) {
			t.Errorf("EVALSHA: %v", err)
		}
		if got := r.proxy.Counts(); got != (Counts{Requests: 1, Cut: 1}) {
			t.Errorf("counted %+v", got)
		}
	})
}

func TestProxyPassesLargeValues(t *testing.T) {
	EachWithMini(t, func(t *testing.T, s *Server) {
		r := newRig(t, s, nil)
		big := strings.Repeat("0123456789\r\n", 1<<15)
		const twice = "return {ARGV[1], ARGV[1], {1, {2, false}}}"
		got, err := r.through.Eval(t.Context(), twice, []string{r.key}, big).Slice()
		if err != nil || len(got) != 3 || got[0] != big || got[1] != big {
			t.Errorf("%v; %d values", err, len(got))
		}
		if want := "[1 [2 <nil>]]"; len(got) == 3 && fmt.Sprint(got[2]) != want {
			t.Errorf("nested value is %v, want %s", got[2], want)
		}
	})
}

func TestProxyLeavesEarlierPipelinedRepliesAlone(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault Fault
		rest  string // what follows the replies before the broken one
		ends  bool   // and whether the connection is closed then
	}{
		{"swallow", Fault{Action: Swallow}, "", false},
		{"cut", Fault{Action: Cut}, "", true},
		{"truncate", Fault{Action: Truncate, Keep: 2}, ":2", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			EachWithMini(t, func(t *testing.T, s *Server) {
				r := newRig(t, s, second(c.fault))
				conn := dial(t, r.proxy.Addr)
				request := fmt.Sprintf("*4\r\n$4\r\nEVAL\r\n$%d\r\n%s\r\n$1\r\n1\r\n$%d\r\n%s\r\n",
					len(count), count, len(r.key), r.key)
				if _, err := io.WriteString(conn, strings.Repeat(request, 5)); err != nil {
					t.Fatal(err)
				}
				first := make([]byte, len(":1\r\n"))
				if _, err := io.ReadFull(conn, first); string(first) != ":1\r\n" || err != nil {
					t.Errorf("first reply: %q, %v", first, err)
				}
				if !c.ends {
					_ = conn.SetReadDeadline(time.Now().Add(soon))
				}
				rest, err := io.ReadAll(conn)
				if string(rest) != c.rest || c.ends != (err == nil) {
					t.Errorf("then %q, %v; want %q", rest, err, c.rest)
				}
				if n := r.counted(t); n != 2 {
					t.Errorf("server counted %d, want 2: none after the broken one", n)
				}
			})
		})
	}
}

// With one request per call, the server has run what was acknowledged and what a
// fault hid, exactly.
func TestProxyAccountsForEveryRequest(t *testing.T) {
	faults := map[int64]Fault{
		20: {Action: Cut}, 40: {Action: Drop}, 60: {Action: Truncate, Keep: 1}, 80: {Action: Swallow},
	}
	r := newRig(t, Start(t, Mini), func(n int64) Fault { return faults[n] })
	const workers, calls = 8, 20
	var acknowledged atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range calls {
				if _, err := r.call(t, 20*soon); err == nil {
					acknowledged.Add(1)
				}
			}
		})
	}
	wg.Wait()
	got := r.proxy.Counts()
	if want := (Counts{Requests: workers * calls, Swallowed: 1, Cut: 1, Truncated: 1, Dropped: 1}); got != want {
		t.Errorf("proxy counted %+v, want %+v", got, want)
	}
	hidden := got.Swallowed + got.Cut + got.Truncated
	if n := int64(r.counted(t)); n != acknowledged.Load()+hidden {
		t.Errorf("server counted %d, want %d acknowledged and %d hidden", n, acknowledged.Load(), hidden)
	}
}

func TestSetFault(t *testing.T) {
	r := newRig(t, Start(t, Mini), nil)
	for _, c := range []struct {
		fault func(int64) Fault
		ok    bool
	}{
		{nil, true},
		{func(int64) Fault { return Fault{Action: Cut} }, false},
		{nil, true},
	} {
		r.proxy.SetFault(c.fault)
		if _, err := r.call(t, later); c.ok != (err == nil) {
			t.Errorf("%v, want success: %t", err, c.ok)
		}
	}
}
