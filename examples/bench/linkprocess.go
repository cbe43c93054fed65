package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"
)

// linkCommand makes the program a slow link: bench link DELAY UPSTREAM.
const linkCommand = "link"

// serveLink prints the address of a slow link and serves it until stdin ends, so
// that it never outlives who started it.
func serveLink(args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) != 2 {
		return usageError{fmt.Errorf("%s wants a delay and the address of a Redis, such as: %s 1ms localhost:6379", linkCommand, linkCommand)}
	}
	d, err := delay(args[0])
	if err != nil {
		return usageError{err}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer ln.Close()
	go slowLink{args[1], d}.serve(ln)
	fmt.Fprintln(stdout, ln.Addr())
	_, err = io.Copy(io.Discard, stdin)
	return err
}

// startLink runs a slow link as a process of its own, so that its CPU is not taken
// for a contender's. A delay of 0 is no link at all.
func startLink(d time.Duration, upstream string) (addr string, stop func(), err error) {
	if d == 0 {
		return upstream, func() {}, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(self, linkCommand, d.String(), upstream)
	own(cmd)
	return spawnLink(cmd)
}

func spawnLink(cmd *exec.Cmd) (addr string, stop func(), err error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { _ = in.Close(); _ = cmd.Wait() }
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the slow link did not start (%w)", err)
	}
	return strings.TrimSpace(line), stop, nil
}
