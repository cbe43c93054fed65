package coretest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// Kind names a server a test can run against.
type Kind string

// The kinds. They differ where it matters to a script: how numbers become text,
// whether TIME stands still, which scripts stay cached, the wording of errors.
const (
	Redis7  Kind = "redis7"
	Redis8  Kind = "redis8"
	Valkey9 Kind = "valkey9"
	// Mini is miniredis inside the test's own process: always there and quick,
	// but no evidence of what a server does, and so not one of Kinds.
	Mini Kind = "miniredis"
)

// Kinds are the real servers, each a process of its own.
var Kinds = []Kind{Redis7, Redis8, Valkey9}

// source says how to come by a kind's binary and how to know it.
type source struct {
	env     string   // variable holding the path of an executable
	names   []string // what it may be called on PATH
	version string   // how its --version begins
}

var sources = map[Kind]source{
	Redis7: {"SLIDEGATE_REDIS7", []string{"redis-server-7", "redis-server7", "redis-server"}, "Redis server v=7."},
	Redis8: {"SLIDEGATE_REDIS8", []string{"redis-server-8", "redis-server8", "redis-server"}, "Redis server v=8."},
	Valkey9: {"SLIDEGATE_VALKEY9", []string{"valkey-server-9", "valkey-server9", "valkey-server"},
		"Valkey server v=9."},
}

// absentError reports a machine without the kind's binary. Anything else that
// keeps a server from starting is a failure, this alone a reason to skip.
type absentError struct{ kind Kind }

func (e *absentError) Error() string {
	s := sources[e.kind]
	return fmt.Sprintf("%s is missing: set %s to the path of its binary, or put %s on PATH",
		e.kind, s.env, s.names[len(s.names)-1])
}

// binary finds the kind's server. A variable that points at the wrong thing is an
// error rather than an absence: whoever set it believes the tests use it.
func (k Kind) binary() (string, error) {
	s, ok := sources[k]
	if !ok {
		return "", fmt.Errorf("coretest: no server of kind %q", k)
	}
	if path := os.Getenv(s.env); path != "" {
		if err := s.check(path); err != nil {
			return "", fmt.Errorf("coretest: %s: %w", s.env, err)
		}
		return path, nil
	}
	for _, name := range s.names {
		if path, err := exec.LookPath(name); err == nil && s.check(path) == nil {
			return path, nil
		}
	}
	return "", &absentError{k}
}

func (s source) check(path string) error {
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", path, err)
	}
	if !strings.HasPrefix(string(out), s.version) {
		return fmt.Errorf("%s says %q, want %q", path, strings.TrimSpace(string(out)), s.version)
	}
	return nil
}

// announced holds the kinds whose absence this process has already reported.
var announced sync.Map

// unavailable ends t, for which no server could be had. Where servers are
// required, in CI, an absent one fails the test: a skip there goes unseen.
func unavailable(t testing.TB, err error) {
	t.Helper()
	absent, ok := errors.AsType[*absentError](err)
	if !ok || os.Getenv("SLIDEGATE_REQUIRE_SERVERS") == "1" {
		t.Fatal(err)
	}
	// Without -v a skip is silent, so say it once, whatever the flags.
	if _, said := announced.LoadOrStore(absent.kind, true); !said {
		fmt.Fprintln(os.Stderr, "coretest: skipping,", err)
	}
	t.Skip(err)
}
