package coretest

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/keyfuncs"
)

// held is a hook that keeps the next script from Redis until released.
type held struct {
	arrived, released, done chan struct{}
	once                    sync.Once
}

func (h *held) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *held) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (h *held) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		first := false
		h.once.Do(func() { first = true })
		if first {
			close(h.arrived)
			<-h.released
			defer close(h.done)
		}
		return next(ctx, cmd)
	}
}

// A client that hangs up while Redis decides is counted once, like any other.
func testDisconnect(_ *testing.T, s *stage) {
	api := fixed("api", 2)
	s.mount(s.limit(api, uid))
	s.wantSpent(api, "ann", 0) // and the server knows the script
	hook := &held{arrived: make(chan struct{}), released: make(chan struct{}), done: make(chan struct{})}
	s.rdb.AddHook(hook)
	c := s.dial()
	c.send(raw("GET", "/do", UIDHeader+": ann"))
	<-hook.arrived
	_ = c.Conn.(*net.TCPConn).SetLinger(0)
	_ = c.Close()
	close(hook.released)
	<-hook.done
	s.want(s.get("ann"), 200, fieldsOf("0"), "ok")
	s.wantSpent(api, "ann", 2)
}

// What a handler flushes arrives before it writes on.
func testStreaming(_ *testing.T, s *stage) {
	got := make(chan struct{})
	s.open(App{Routes: []string{"/do"}, Limits: []Mounted{s.limit(fixed("api", 2), uid)},
		Handle: func(string, string) Reply {
			return Reply{Status: 200, Chunks: []string{"first", "second"}, Between: func() { <-got }}
		}})
	c := s.dial()
	c.send(raw("GET", "/do", UIDHeader+": ann"))
	for line := ""; !strings.Contains(line, "first"); {
		var err error
		if line, err = c.in.ReadString('\n'); err != nil {
			s.Fatal(err)
		}
	}
	close(got)
	rest, err := c.in.ReadString('0') // the last chunk's length
	if err != nil || !strings.Contains(rest, "second") {
		s.Errorf("then came %q, %v", rest, err)
	}
}

func testBigHeader(_ *testing.T, s *stage) {
	big := strings.Repeat("k", 8<<10)
	s.mount(s.limit(fixed("api", 2), keyfuncs.Header("X-Api-Key")))
	s.want(s.do("GET", "/do", "X-Api-Key: "+big), 200, fieldsOf("1"), "ok")
	s.want(s.do("GET", "/do", "x-api-KEY: "+big), 200, fieldsOf("0"), "ok")
	s.want(s.do("GET", "/do", "X-Api-Key: "+big+"x"), 200, fieldsOf("1"), "ok")
	s.want(s.do("GET", "/do", "X-Api-Key: "+big), 429, refused(), deniedBody)
}

// Key functions see all lines of a header, in order, whatever the case.
func testHeaderLines(_ *testing.T, s *stage) {
	seen := make(chan []string, 1)
	s.mount(s.limit(fixed("api", 9), func(r keyfuncs.Request) (string, error) {
		values := append([]string{r.Method(), r.Path()}, r.HeaderValues("x-FORWARDED-for")...)
		values = append(append(values, r.HeaderValues("HOST")...), r.HeaderValues("X-Absent")...)
		seen <- values
		return "all", nil
	}))
	s.do("GET", "/do?do=fail", "X-Forwarded-For: a, b", "Other: x", "x-forwarded-for: c", "X-FORWARDED-FOR:")
	if got := strings.Join(<-seen, "|"); got != "GET|/do|a, b|c||app.example" {
		s.Errorf("got %s", got)
	}
}

func testPipelined(_ *testing.T, s *stage) {
	api := fixed("api", 2)
	s.mount(s.limit(api, uid))
	c := s.dial()
	c.send(strings.Repeat(raw("GET", "/do", UIDHeader+": ann"), 3) + strings.Repeat(raw("GET", "/do", UIDHeader+": bob"), 3))
	want := []map[string]string{fieldsOf("1"), fieldsOf("0"), refused(), fieldsOf("1"), fieldsOf("0"), refused()}
	for i, fields := range want {
		a := c.receive("GET")
		status, body := 200, "ok"
		if i%3 == 2 {
			status, body = 429, deniedBody
		}
		a.from = a.from.Add(-patience)
		s.want(a, status, fields, body)
	}
	s.wantSpent(api, "ann", 2)
}

func testNested(_ *testing.T, s *stage) {
	s.mount(s.limit(fixed("api", 2), uid), s.limit(fixed("burst", 9), uid))
	s.want(s.get("ann"), 200, plus(fieldsOf("1"),
		"RateLimit-Policy", `"api";q=2;w=60, "burst";q=9;w=60`, "RateLimit", `"api";r=1;t=45, "burst";r=8;t=45`), "ok")
}

func testNestedDenied(_ *testing.T, s *stage) {
	outer, inner := fixed("outer", 9), fixed("api", 2)
	s.mount(s.limit(outer, uid), s.limit(inner, uid))
	s.get("ann")
	s.get("ann")
	s.want(s.get("ann"), 429, plus(refused(),
		"RateLimit-Policy", `"outer";q=9;w=60, "api";q=2;w=60`, "RateLimit", `"outer";r=6;t=45, "api";r=0;t=45`), deniedBody)
	s.wantSpent(outer, "ann", 3)
	s.wantSpent(inner, "ann", 2)
}

func testOldDialects(_ *testing.T, s *stage) {
	for dialect, want := range map[guard.Dialect]map[string]string{
		guard.Draft07: {"RateLimit": "limit=2, remaining=1, reset=45", "RateLimit-Policy": "2;w=60, 9;w=60"},
		guard.Draft06: {"RateLimit-Limit": "2", "RateLimit-Remaining": "1", "RateLimit-Reset": "45", "RateLimit-Policy": "2;w=60, 9;w=60"},
		guard.None:    noFields,
	} {
		only := guard.Headers(dialect)
		s.mount(s.limit(fixed("api", 2), uid, only), s.limit(fixed("burst", 9), uid, only))
		s.want(s.get(dialect.String()), 200, want, "ok")
	}
}

func testOutage(_ *testing.T, s *stage) {
	closed := fixed("api", 2)
	closed.OnOutage = core.Closed
	s.server.Stop()
	s.mount(s.limit(fixed("api", 2), uid))
	s.want(s.get("ann"), 200, noFields, "ok")
	s.mount(s.limit(closed, uid))
	s.want(s.get("ann"), 503, map[string]string{"Retry-After": "1", "Cache-Control": "no-store"}, closedBody)
}

// A real server, whose time nobody knows beforehand.
func testServer(_ *testing.T, s *stage) {
	day := core.PerDay("day", 2)
	s.mount(s.limit(day, uid))
	for i, want := range []int{200, 200, 429, 429} {
		a := s.get("ann")
		left := []string{"1", "0", "0", "0"}[i]
		if a.status != want || a.header.Get("X-RateLimit-Remaining") != left || !strings.HasPrefix(a.header.Get("RateLimit"), `"day";r=`+left+";t=") {
			s.Errorf("request %d: got %d %q", i+1, a.status, a.fields())
		}
		if retry := a.header.Get("Retry-After"); (retry != "") != (want == 429) {
			s.Errorf("request %d: Retry-After %q", i+1, retry)
		}
	}
	s.wantSpent(day, "ann", 2)
}
