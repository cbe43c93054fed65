package coretest

import (
	"testing"

	"github.com/slidegate/slidegate/core/guard"
)

var failures = guard.CountOnly(func(status int) bool { return status >= 400 })

// statuses asks for each of what the handler can do, as ann.
func (s *stage) statuses(what ...string) (got []int) {
	s.Helper()
	for _, do := range what {
		got = append(got, s.do("GET", "/do?do="+do, UIDHeader+": ann").status)
	}
	return got
}

func testOutcome(_ *testing.T, s *stage) {
	login := fixed("login", 2)
	s.mount(s.limit(login, uid, failures))
	s.wantStatuses(s.statuses("", "fail", "", "", "fail"), 200, 401, 200, 200, 401)
	s.wantSpent(login, "ann", 2)
	a := s.get("ann")
	s.wantStatuses([]int{a.status}, 429)
	if got := a.header.Get("Retry-After"); got != "45" {
		s.Errorf("Retry-After %q, want 45", got)
	}
	s.wantSpent(login, "ann", 2)
	s.wantHits(5)
}

func testOutcomeOfPanic(_ *testing.T, s *stage) {
	login := fixed("login", 2)
	s.mount(s.limit(login, uid, failures))
	s.wantStatuses(s.statuses("panic", ""), 500, 200)
	s.wantSpent(login, "ann", 1)
}

// Where handlers return errors, the status is what the framework makes of it.
func testOutcomeOfError(_ *testing.T, s *stage) {
	login := fixed("login", 9)
	s.mount(s.limit(login, uid, guard.CountOnly(func(status int) bool { return status == 401 })))
	s.wantStatuses(s.statuses("error", "", "panic", "error"), 401, 200, 500, 401)
	s.wantSpent(login, "ann", 2)
}

func testOutcomeOfStream(_ *testing.T, s *stage) {
	login := fixed("login", 9)
	s.mount(s.limit(login, uid, failures))
	a := s.do("GET", "/do?do=stream", UIDHeader+": ann")
	if a.status != 403 || a.body != "abc" {
		s.Errorf("got %d %q", a.status, a.body)
	}
	s.wantSpent(login, "ann", 1)
}

func testHandlerPanic(_ *testing.T, s *stage) {
	api := fixed("api", 2)
	s.mount(s.limit(api, uid))
	s.wantStatuses(s.statuses("panic", "", "panic"), 500, 200, 429)
	s.wantSpent(api, "ann", 2)
}
