package coretest

import (
	"sync"
	"testing"
)

// Start starts a server for this test alone and stops it when the test ends. args
// are passed on to the server after the kit's own, and so override them. Without
// the kind's binary the test is skipped, or fails where servers are required.
func Start(t testing.TB, k Kind, args ...string) *Server {
	t.Helper()
	return startOn(t, k, freePort, args)
}

func startOn(t testing.TB, k Kind, port func() (int, error), args []string) *Server {
	t.Helper()
	s, err := open(k, port, args)
	if err != nil {
		unavailable(t, err)
	}
	t.Cleanup(s.close)
	return s
}

// shared holds the servers that all tests of this process use, by kind.
var shared = struct {
	sync.Mutex
	servers map[Kind]*Server
}{servers: map[Kind]*Server{}}

// Shared returns the server of kind k that all tests of this binary share, started
// on first use and stopped by Main, which the package's TestMain has to call. Tests
// on it keep to keys of their own, change no settings and leave it running; whatever
// needs more uses Start.
func Shared(t testing.TB, k Kind) *Server {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if s := shared.servers[k]; s != nil {
		return s
	}
	s, err := open(k, freePort, nil)
	if err != nil {
		unavailable(t, err)
	}
	shared.servers[k] = s
	return s
}

func stopShared() {
	shared.Lock()
	defer shared.Unlock()
	for k, s := range shared.servers {
		s.close()
		delete(shared.servers, k)
	}
}

// Each runs a subtest named after the kind on the shared server of each of Kinds.
func Each(t *testing.T, run func(t *testing.T, s *Server)) {
	t.Helper()
	for _, k := range Kinds {
		t.Run(string(k), func(t *testing.T) { run(t, Shared(t, k)) })
	}
}

// EachWithMini is Each with one subtest more, on a miniredis of its own, so that
// its clock may be set.
func EachWithMini(t *testing.T, run func(t *testing.T, s *Server)) {
	t.Helper()
	t.Run(string(Mini), func(t *testing.T) { run(t, Start(t, Mini)) })
	Each(t, run)
}
