package coretest

import (
	"strings"
	"testing"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/keyfuncs"
)

// Bodies of refusals.
const (
	deniedBody = `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",` +
		`"title":"Quota Exceeded","status":429,"violated-policies":["api"]}`
	closedBody = `{"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",` +
		`"title":"Temporary Reduced Capacity","status":503,"violated-policies":["api"]}`
	brokenBody = `{"title":"Internal Server Error","status":500}`
	problem    = "application/problem+json"
)

// noFields are those of a response that no limiter adds to.
var noFields = map[string]string{}

// fieldsOf are those of policy api, 2 per minute, with the rest of it left.
func fieldsOf(remaining string) map[string]string {
	return map[string]string{
		"RateLimit-Policy": `"api";q=2;w=60`, "RateLimit": `"api";r=` + remaining + `;t=45`,
		"X-RateLimit-Limit": "2", "X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": "+45",
	}
}

func plus(fields map[string]string, more ...string) map[string]string {
	for i := 0; i < len(more); i += 2 {
		fields[more[i]] = more[i+1]
	}
	return fields
}

// refused are the fields of a 429 of policy api.
func refused() map[string]string {
	return plus(fieldsOf("0"), "Retry-After", "45", "Cache-Control", "no-store")
}

func testAllowedDenied(_ *testing.T, s *stage) {
	api := fixed("api", 2)
	s.mount(s.limit(api, uid))
	s.want(s.get("ann"), 200, fieldsOf("1"), "ok")
	s.want(s.get("ann"), 200, fieldsOf("0"), "ok")
	for range 2 {
		a := s.get("ann")
		s.want(a, 429, refused(), deniedBody)
		if got := a.header.Get("Content-Type"); got != problem {
			s.Errorf("Content-Type %q, want %q", got, problem)
		}
	}
	s.want(s.get("bob"), 200, fieldsOf("1"), "ok")
	s.wantSpent(api, "ann", 2)
	s.wantSpent(api, "bob", 1)
	s.wantHits(3)
}

func testCostAboveCapacity(_ *testing.T, s *stage) {
	api := fixed("api", 2)
	s.mount(s.limit(api, uid, guard.Cost(func(keyfuncs.Request) int64 { return 3 })))
	a := s.get("ann")
	if got := a.header.Get("Retry-After"); a.status != 429 || a.body != deniedBody || got != "" {
		s.Errorf("got %d %q, Retry-After %q", a.status, a.body, got)
	}
	s.wantSpent(api, "ann", 0)
	s.wantHits(0)
}

func testNoKey(_ *testing.T, s *stage) {
	api := fixed("api", 2)
	var seen error
	quiet := guard.OnError(func(_ keyfuncs.Request, err error) guard.Action { seen = err; return guard.Action{} })
	s.mount(s.limit(api, uid, quiet))
	s.want(s.do("GET", "/do"), 500, map[string]string{"Cache-Control": "no-store"}, brokenBody)
	if seen == nil || !strings.Contains(seen.Error(), "no identity stored") {
		s.Errorf("OnError got %v", seen)
	}
	s.wantHits(0)
	login := guard.OnError(func(keyfuncs.Request, error) guard.Action { return guard.Refuse(401) })
	s.mount(s.limit(api, uid, login))
	s.want(s.do("GET", "/do"), 401, map[string]string{"Cache-Control": "no-store"}, `{"title":"Unauthorized","status":401}`)
	s.mount(s.limit(api, uid, guard.OnError(func(keyfuncs.Request, error) guard.Action { return guard.Serve() })))
	s.want(s.do("GET", "/do"), 200, noFields, "ok")
	s.wantHits(1)
}

func testAnd(_ *testing.T, s *stage) {
	for i, limits := range [][2]int64{{1, 5}, {5, 1}} {
		a, b := fixed("a"+string(rune('0'+i)), limits[0]), fixed("b"+string(rune('0'+i)), limits[1])
		s.mount(s.limit(a, uid, guard.And(b, keyfuncs.IP)))
		s.wantStatuses([]int{s.get("ann").status, s.get("ann").status, s.get("ann").status}, 200, 429, 429)
		s.wantSpent(a, "ann", 1)
		s.wantSpent(b, "127.0.0.1", 1)
	}
}

func testDryRun(_ *testing.T, s *stage) {
	api := fixed("api", 2)
	s.mount(s.limit(api, uid, guard.DryRun()))
	for range 4 {
		s.want(s.get("ann"), 200, noFields, "ok")
	}
	s.wantSpent(api, "ann", 2)
}

func testSkip(_ *testing.T, s *stage) {
	api := fixed("api", 2)
	s.mount(s.limit(api, uid, guard.Skip(func(r keyfuncs.Request) bool { return r.Method() == "OPTIONS" })))
	s.want(s.do("OPTIONS", "/do", UIDHeader+": ann"), 200, noFields, "ok")
	s.want(s.get("ann"), 200, fieldsOf("1"), "ok")
	s.wantSpent(api, "ann", 1)
}

func testTiers(_ *testing.T, s *stage) {
	free, paid := fixed("free", 1), fixed("paid", 3)
	s.mount(s.limit(free, uid, guard.PolicyFor(func(r keyfuncs.Request, p core.Policy) core.Policy {
		if r.Value("uid") == "ann" {
			return paid
		}
		return p
	})))
	s.wantStatuses([]int{s.get("bob").status, s.get("bob").status}, 200, 429)
	s.wantStatuses([]int{s.get("ann").status, s.get("ann").status, s.get("ann").status, s.get("ann").status}, 200, 200, 200, 429)
	s.wantSpent(free, "bob", 1)
	s.wantSpent(paid, "ann", 3)
}

func testHead(_ *testing.T, s *stage) {
	s.mount(s.limit(fixed("api", 2), uid))
	line := UIDHeader + ": ann"
	s.want(s.do("HEAD", "/do", line), 200, fieldsOf("1"), "")
	s.want(s.do("HEAD", "/do", line), 200, fieldsOf("0"), "")
	a := s.do("HEAD", "/do", line)
	s.want(a, 429, refused(), "")
	if got := a.header.Get("Content-Type"); got != problem {
		s.Errorf("Content-Type %q, want %q", got, problem)
	}
}

func testAccept(_ *testing.T, s *stage) {
	s.mount(s.limit(fixed("api", 2), uid))
	s.get("ann")
	s.get("ann")
	const text = "Too many requests. Try again in 45 s.\n"
	for accept, want := range map[string][2]string{
		"text/plain": {"text/plain; charset=utf-8", text},
		"text/plain, application/problem+json;q=0.5": {"text/plain; charset=utf-8", text},
		"*/*":              {problem, deniedBody},
		"application/json": {problem, deniedBody},
		"text/html,application/xhtml+xml,*/*;q=0.8":            {problem, deniedBody},
		"text/plain;q=0.5\r\nAccept: application/problem+json": {problem, deniedBody},
	} {
		a := s.get("ann", "Accept: "+accept)
		s.want(a, 429, refused(), want[1])
		if got := a.header.Get("Content-Type"); got != want[0] {
			s.Errorf("%s: Content-Type %q, want %q", accept, got, want[0])
		}
	}
}
