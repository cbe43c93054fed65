// Bench measures Slidegate beside the other Go limiters that keep their counts in
// Redis: one program, one rig, one run, all contenders in turn, round after round.
//
//	cd examples/bench
//	SLIDEGATE_REDIS7=/path/to/redis-server go run .      # starts a Redis of its own
//	go run . -addr localhost:6379 -only 'GCRA|redis_rate|rueidis' -callers 64,256
//	go run . -json > bench.json
//	go run . -svg bench.svg
//
// It is a module of its own, so that the peers never become requirements of
// Slidegate. Its tests are run here too: go test .
//
// Each contender must first admit what its limit says; one that does not is named
// and not measured. All keys of a run carry its tag and are removed after it, so
// that a Redis which holds other data keeps it. What the program measures is what
// this machine does: hold the ratios, not the figures, against other runs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/redis/go-redis/v9"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	redis.SetLogger(quiet{}) // a contender's errors are counted and shown in the report
	err := start(ctx, os.Args[1:])
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "bench:", err)
	os.Exit(exitCode(err))
}

// start is the program, or the slow link that it starts as a process of its own.
func start(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == linkCommand {
		return serveLink(args[1:], os.Stdin, os.Stdout)
	}
	return run(ctx, args, os.Stdout, os.Stderr, os.Getenv)
}

func run(ctx context.Context, args []string, out, status io.Writer, getenv func(string) string) error {
	o, err := parseOptions(args, status)
	if err != nil || o.help {
		return err
	}
	if err := o.writable(); err != nil {
		return err
	}
	server, err := findServer(ctx, o.addr, getenv)
	if err != nil {
		return err
	}
	defer server.close()
	result, err := compare(ctx, o, server, status)
	if err != nil {
		return err
	}
	return o.deliver(out, result)
}

// A usageError is a mistake in what the user typed.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func exitCode(err error) int {
	if _, ok := errors.AsType[usageError](err); ok {
		return 2
	}
	return 1
}

// quiet drops what go-redis logs of each attempt to connect.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}
