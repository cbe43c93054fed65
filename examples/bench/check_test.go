package main

import (
	"strings"
	"testing"
	"time"
)

func TestVerdicts(t *testing.T) {
	for _, story := range []struct {
		name     string
		admitted int64
		refills  bool
		took     time.Duration
		ok       bool
	}{
		{"exactly its limit", 100, false, time.Second, true},
		{"one too many", 101, false, time.Second, false},
		{"one too few", 99, false, time.Second, false},
		{"what came back in six seconds", 111, true, 6 * time.Second, true},
		{"more than came back", 112, true, 6 * time.Second, false},
		{"everything", 400, true, time.Second, false},
	} {
		v := verdict{Admitted: story.admitted}
		v.judge(story.refills, story.took)
		if v.ok() != story.ok || (v.Problem == "") != story.ok {
			t.Errorf("%s: %+v, want ok %v", story.name, v, story.ok)
		}
	}
}

// A contender some of whose calls fail is measured, and what failed is said.
func TestFailedCallsAreNotHidden(t *testing.T) {
	v := verdict{Admitted: 100, Errors: 3, Problem: "lost the race"}
	v.judge(false, time.Second)
	if !v.ok() || !strings.Contains(v.Problem, "3 of 400 calls failed") || !strings.Contains(v.Problem, "lost the race") {
		t.Errorf("%+v", v)
	}
}
