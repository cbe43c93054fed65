// Package coretest is Slidegate's test kit: real servers, clusters and fault
// proxies to test against, a reference model to compare with, and the suite that
// every adapter passes. Only test files import it.
package coretest

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Main runs the tests of a package from its TestMain and ends the process. It
// stops the shared servers first and then fails a run that passed but left
// goroutines behind: what a limiter leaks in a test it leaks in production.
func Main(m *testing.M) {
	code := m.Run()
	stopShared()
	// A failed test may well have left its goroutines where they were; naming
	// them would only hide the failure.
	if code == 0 {
		code = leaks()
	}
	os.Exit(code)
}

// leakLooks is how often leaks looks, 10 ms apart, before it takes a goroutine
// for one that stays: a connection's reader may need a while to see its end.
const leakLooks = 500

// leaks reports goroutines in code of this module or of the Redis client. A
// library would find others as well, at the price of being in the go.sum of
// everyone who imports an adapter: Go counts what the tests of imported
// packages import.
func leaks() int {
	for range leakLooks {
		if len(running()) == 0 {
			return 0
		}
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Fprintln(os.Stderr, "coretest: goroutines left behind:\n\n"+strings.Join(running(), "\n\n"))
	return 1
}

// running returns the stacks of goroutines other than this one that run code of
// this module or of the Redis client.
func running() (stacks []string) {
	all := make([]byte, 1<<20)
	all = all[:runtime.Stack(all, true)]
	_, others, _ := strings.Cut(string(all), "\n\n")
	for stack := range strings.SplitSeq(others, "\n\n") {
		if strings.Contains(stack, "slidegate/") || strings.Contains(stack, "redis/go-redis/") {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}
