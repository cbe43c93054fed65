package coretest

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/keyfuncs"
)

// App is a program that an adapter's tests build with their framework, for the
// suite to talk to over TCP. On each of Routes stands a handler for every
// method that does what Handle says, behind Limits.
type App struct {
	// Routes are patterns in the manner of net/http, such as /u/{id}.
	Routes []string
	// Limits are those of each route, the outermost first.
	Limits []Mounted
	// Everywhere mounts Limits on the whole app, behind the router, in place
	// of each route; only for frameworks that can.
	Everywhere bool
	// Handle returns what the handler behaviours to a request with this value of
	// the query parameter do, on this one of Routes.
	Handle func(route, do string) Reply
}

// Mounted are the arguments of one Limit.
type Mounted struct {
	Limiter *core.Limiter
	Policy  core.Policy
	Key     keyfuncs.Func
	Options []guard.Option
}

// Reply is what a handler does: panic with a text, or return an error of the
// framework's own with Status, or write Status and the Chunks, flushing each
// and calling Between after it.
type Reply struct {
	Panic   string
	Err     bool
	Status  int
	Chunks  []string
	Between func()
}

// UIDHeader is the header from which an App's authentication takes the user's
// ID, which it stores under "uid" where the framework keeps such values, before
// any limit runs. Without the header it stores nothing.
const UIDHeader = "X-Uid"

// AdapterServe builds app, serves it on a port of 127.0.0.1 until t ends, and
// returns host and port. Panics of handlers are answered with 500, by whatever
// the framework has for it, outside of the limits.
type AdapterServe func(t testing.TB, app App) string

// AdapterSuite runs the cases that all adapters pass alike, byte for byte where
// HTTP lets them.
func AdapterSuite(t *testing.T, serve AdapterServe) {
	for name, run := range map[string]func(*testing.T, *stage){
		"allowed and denied":    testAllowedDenied,
		"cost above capacity":   testCostAboveCapacity,
		"no key":                testNoKey,
		"and":                   testAnd,
		"dry run":               testDryRun,
		"skip":                  testSkip,
		"tiers":                 testTiers,
		"head":                  testHead,
		"accept":                testAccept,
		"outcome":               testOutcome,
		"outcome of a panic":    testOutcomeOfPanic,
		"outcome of an error":   testOutcomeOfError,
		"outcome of a stream":   testOutcomeOfStream,
		"handler panic":         testHandlerPanic,
		"client disconnects":    testDisconnect,
		"streaming":             testStreaming,
		"8 KiB header":          testBigHeader,
		"header lines":          testHeaderLines,
		"pipelined":             testPipelined,
		"nested":                testNested,
		"nested and denied":     testNestedDenied,
		"old dialects":          testOldDialects,
		"outage":                testOutage,
		"forged headers":        testForging,
		"spellings of one path": testSpellings,
	} {
		t.Run(name, func(t *testing.T) { run(t, newStage(t, serve)) })
	}
	for _, k := range Kinds {
		t.Run(string(k), func(t *testing.T) { testServer(t, stageOn(t, Start(t, k), serve)) })
	}
}

// stage is what a case of the suite plays on: a miniredis whose clock stands
// 15 s into a minute, so that times in headers are known.
type stage struct {
	*testing.T
	serve  AdapterServe
	server *Server
	rdb    *redis.Client
	rl     *core.Limiter
	addr   string
	hits   atomic.Int64 // calls of handlers
}

func newStage(t *testing.T, serve AdapterServe) *stage {
	server := Start(t, Mini)
	server.Mini.SetTime(time.Date(2026, 1, 1, 12, 0, 15, 0, time.UTC))
	return stageOn(t, server, serve)
}

func stageOn(t *testing.T, server *Server, serve AdapterServe) *stage {
	s := &stage{T: t, serve: serve, server: server, rdb: server.Client(t)}
	rl, err := core.New(s.rdb, core.Timeout(10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rl.Close() })
	s.rl = rl
	return s
}

// fixed is a policy whose window ends when the stage's minute does.
func fixed(name string, limit int64) core.Policy {
	return core.Policy{Name: name, Algorithm: core.FixedWindow, Limit: limit, Window: time.Minute}
}

// uid keys by the user that the app's authentication stored.
var uid = keyfuncs.UserID("uid")

// limit is a Limit of the stage's Limiter.
func (s *stage) limit(p core.Policy, key keyfuncs.Func, opts ...guard.Option) Mounted {
	return Mounted{s.rl, p, key, opts}
}

// mount serves /do behind limits; its handler behaviours in the way of behaviours.
func (s *stage) mount(limits ...Mounted) {
	s.open(App{Routes: []string{"/do"}, Limits: limits})
}

func (s *stage) open(app App) {
	if app.Handle == nil {
		app.Handle = func(_, do string) Reply { return behaviours[do] }
	}
	handle := app.Handle
	app.Handle = func(route, do string) Reply {
		s.hits.Add(1)
		return handle(route, do)
	}
	s.addr = s.serve(s.T, app)
}

// behaviours are what the handler of mount does, by the request.
var behaviours = map[string]Reply{
	"":       {Status: http.StatusOK, Chunks: []string{"ok"}},
	"fail":   {Status: http.StatusUnauthorized, Chunks: []string{"wrong password"}},
	"panic":  {Panic: "boom"},
	"error":  {Err: true, Status: http.StatusUnauthorized},
	"stream": {Status: http.StatusForbidden, Chunks: []string{"a", "b", "c"}},
}

// wantSpent fails unless key has spent so much under p.
func (s *stage) wantSpent(p core.Policy, key string, want int64) {
	s.Helper()
	d, err := s.rl.Peek(s.Context(), p, key)
	if err != nil {
		s.Fatal(err)
	}
	if got := p.Capacity() - d.Remaining; got != want {
		s.Errorf("%s: %d spent under %s, want %d", key, got, p.Name, want)
	}
}

// wantHits fails unless handlers were called so often.
func (s *stage) wantHits(want int64) {
	s.Helper()
	if got := s.hits.Load(); got != want {
		s.Errorf("handlers called %d times, want %d", got, want)
	}
}
