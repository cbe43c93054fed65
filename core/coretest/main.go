// Package coretest is Slidegate's test kit: real servers, clusters and fault
// proxies to test against, a reference model to compare with, and the suite that
// every adapter passes. Only test files import it.
package coretest

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
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

func leaks() int {
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, "coretest: goroutines left behind:", err)
		return 1
	}
	return 0
}
