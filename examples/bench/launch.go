package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

const readyWait = 20 * time.Second

// launch starts binary on a free port of the loopback, in memory only.
func launch(ctx context.Context, binary string) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "bench-redis-")
	if err != nil {
		return nil, err
	}
	log := filepath.Join(dir, "log")
	cmd := exec.Command(binary, "--port", port, "--bind", "127.0.0.1", "--daemonize", "no", "--save", "", "--appendonly", "no",
		"--dir", dir, "--logfile", log)
	own(cmd)
	if err := cmd.Start(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("SLIDEGATE_REDIS7 cannot be started (%w); want the path of a redis-server", err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	stop := func() { _ = cmd.Process.Kill(); <-ended; _ = os.RemoveAll(dir) }
	s, err := launched(ctx, log, port, ended)
	if err != nil {
		stop()
		return nil, err
	}
	s.stop = stop
	return s, nil
}

func launched(ctx context.Context, log, port string, ended <-chan struct{}) (*server, error) {
	if err := awaitReady(ctx, log, ended); err != nil {
		return nil, err
	}
	return connect(ctx, "the Redis just started", net.JoinHostPort("127.0.0.1", port))
}

// awaitReady reads the log, not the port: where another process won the port, that
// one would answer.
func awaitReady(ctx context.Context, log string, ended <-chan struct{}) error {
	timeout := time.After(readyWait)
	for {
		text, _ := os.ReadFile(log)
		if bytes.Contains(text, []byte("Ready to accept conn")) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ended:
			return fmt.Errorf("the Redis that SLIDEGATE_REDIS7 names ended at once: %q", text[max(0, len(text)-500):])
		case <-timeout:
			return fmt.Errorf("the Redis that SLIDEGATE_REDIS7 names is not ready after %v", readyWait)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), nil
}
