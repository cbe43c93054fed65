package coretest

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

// forged are headers that some library believes to name the client.
var forged = []string{
	"X-Forwarded-For", "X-Real-IP", "Forwarded", "CF-Connecting-IP", "True-Client-IP", "X-Client-IP",
	"X-Cluster-Client-IP", "Fastly-Client-IP", "X-Appengine-Remote-Addr", "X-Original-Forwarded-For",
}

// One peer that forges all it can think of has one budget.
func testForging(_ *testing.T, s *stage) {
	proxies := netip.MustParsePrefix("10.0.0.0/8") // the peer is none of them
	for name, key := range map[string]keyfuncs.Func{
		"ip":        keyfuncs.IP,
		"behind":    keyfuncs.IPBehind(proxies),
		"hops":      keyfuncs.IPBehindHops(1, proxies),
		"forwarded": keyfuncs.IPFromForwarded(proxies),
		"header":    keyfuncs.IPFromHeader("X-Real-IP", proxies),
	} {
		p := fixed(name, 5)
		s.mount(s.limit(p, key))
		passed := 0
		for i := range 50 {
			address := fmt.Sprintf("198.51.100.%d", i)
			var lines []string
			for _, header := range forged {
				value := address
				if header == "Forwarded" {
					value = "for=" + address
				}
				lines = append(lines, header+": "+value)
			}
			if s.do("GET", "/do", lines...).status == 200 {
				passed++
			}
		}
		if passed != 5 {
			s.Errorf("%s: %d of 50 passed, want 5", name, passed)
		}
		s.wantSpent(p, "127.0.0.1", 5)
	}
}

// targets are spellings of the paths of the routes, and paths of none.
var targets = []string{
	"/api/login", "/api/login/", "/API/LOGIN", "//api/login", "/api//login", "/./api/login", "/x/../api/login",
	"/%61pi/login", "/api%2Flogin", "http://evil/api/login", "/api/login?x=1", "/api/login;v=1", "/api/login%20",
	"/api/login%00", "/u/1", "/u/%31", "/u/1/", "/u/a%2Fb", "/u/2", "/u/3", "/none", "/none/1", "/none/2", "/",
}

// Whatever spelling reaches a handler, it spends the budget of the handler's
// route, and there are no more budgets than routes.
func testSpellings(_ *testing.T, s *stage) {
	var mu sync.Mutex
	keys := map[string]int{}
	handled := map[string]int{}
	key := func(r keyfuncs.Request) (string, error) {
		key, err := keyfuncs.Route(r)
		mu.Lock()
		defer mu.Unlock()
		keys[key]++
		return key, err
	}
	p := fixed("paths", 1000)
	s.open(App{Routes: []string{"/api/login", "/u/{id}"}, Limits: []Mounted{s.limit(p, key)},
		Handle: func(route, _ string) Reply {
			mu.Lock()
			defer mu.Unlock()
			handled[route]++
			return behaviours[""]
		}})
	for _, target := range targets {
		s.do("GET", target, "Connection: close")
	}
	if len(keys) != 2 || handled["/api/login"] < 3 || handled["/u/{id}"] < 4 {
		s.Errorf("keys %v, handled %v", keys, handled)
	}
	var counts []int
	for key, n := range keys {
		counts = append(counts, n)
		s.wantSpent(p, key, int64(n))
	}
	want := []int{handled["/api/login"], handled["/u/{id}"]}
	slices.Sort(counts)
	slices.Sort(want)
	if !slices.Equal(counts, want) {
		s.Errorf("keys %v, handled %v", keys, handled)
	}
}

// AdapterUnmatched is for frameworks whose middlewares run behind the router:
// requests that match no route spend one budget, whatever their paths.
func AdapterUnmatched(t *testing.T, serve AdapterServe) {
	s := newStage(t, serve)
	p := fixed("paths", 1000)
	s.open(App{Routes: []string{"/api/login", "/u/{id}"}, Everywhere: true, Limits: []Mounted{s.limit(p, keyfuncs.Route)}})
	for i := range 50 {
		s.do("GET", fmt.Sprintf("/scan/%d", i))
		s.do("GET", fmt.Sprintf("/u/%d", i))
	}
	s.do("PATCH", "/scan/1")
	s.wantSpent(p, keyfuncs.Unmatched, 51)
	if keys := len(s.server.Mini.Keys()); keys != 2 {
		t.Errorf("%d keys in Redis, want 2: %q", keys, s.server.Mini.Keys())
	}
}

// AdapterUnrouted is for mounts in front of the router: there keyfuncs.Route
// has no key, for any path.
func AdapterUnrouted(t *testing.T, serve AdapterServe) {
	s := newStage(t, serve)
	s.open(App{Routes: []string{"/api/login", "/u/{id}"}, Everywhere: true, Limits: []Mounted{s.limit(fixed("paths", 9), keyfuncs.Route)}})
	for _, target := range []string{"/api/login", "/u/1"} {
		if got := s.do("GET", target).status; got != 500 {
			t.Errorf("%s: got %d, want 500", target, got)
		}
	}
	s.wantHits(0)
}
