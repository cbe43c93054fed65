package coretest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestMain(m *testing.M) { Main(m) }

// A test that has to see how a test binary ends runs this one again, for one of
// the tests below alone, which do nothing unless asked in this variable.
const asked = "CORETEST_AS_CHILD"

// again prepares a run of the named test in a process of its own, with extra
// variables on top of this process's.
func again(t *testing.T, name string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^"+name+"$", "-test.v")
	cmd.Env = append(os.Environ(), asked+"="+name, "GORACE=atexit_sleep_ms=0") // else a second
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

func onlyAsChild(t *testing.T) {
	t.Helper()
	if os.Getenv(asked) != t.Name() {
		t.Skip("runs only as a child of another test")
	}
}

func TestChildLeaks(t *testing.T) {
	onlyAsChild(t)
	go func() { select {} }()
}

func TestMainFailsARunThatLeaks(t *testing.T) {
	out, err := again(t, "TestChildLeaks").CombinedOutput()
	if err == nil {
		t.Errorf("a leaking run passed:\n%s", out)
	}
	for _, want := range []string{"--- PASS: TestChildLeaks", "goroutines left behind", "main_test.go"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
}
