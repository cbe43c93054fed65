package coretest

import (
	"bufio"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestChildStartsAServerAndHangs(t *testing.T) {
	onlyAsChild(t)
	fmt.Println("address", Start(t, Redis7).Addr)
	select {}
}

// A test binary that is killed, as go test does after a timeout, cleans nothing up.
func TestServerDiesWithItsTestBinary(t *testing.T) {
	Shared(t, Redis7)
	child := again(t, "TestChildStartsAServerAndHangs", "TMPDIR="+t.TempDir())
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var addr string
	for lines := bufio.NewScanner(out); addr == "" && lines.Scan(); {
		if a, ok := strings.CutPrefix(lines.Text(), "address "); ok {
			addr = a
		}
	}
	if !answers(addr) {
		t.Errorf("no server at %q", addr)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	for answers(addr) { // the test's own time limit ends this
		time.Sleep(poll)
	}
}
