// Simulate runs every algorithm, through the real Lua and in virtual time, against
// traffic that is even, random, sudden or hostile, and says what each really
// admits: as text, as a page with charts, as Markdown and as JSON.
//
//	go run ./examples/simulate                                    # REDIS_URL, or a Redis inside the process
//	go run ./examples/simulate -policy api=100/1m -trace requests.txt
//	go run ./examples/simulate -policy api=100/1m,algorithm=sliding-log
//
// A Redis inside the process has no memory and no CPU to measure; REDIS_URL has.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/slidegate/slidegate/core"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv("REDIS_URL"))
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "simulate:", err)
	os.Exit(exitCode(err))
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

func run(ctx context.Context, args []string, in io.Reader, out, status io.Writer, redisURL string) error {
	o, err := parseOptions(args, status)
	if err != nil || o.help {
		return err
	}
	recorded, err := o.readTrace(in)
	if err != nil {
		return usageError{err}
	}
	all, refused, err := lanes(o.asked)
	if err != nil {
		return err
	}
	if err := o.writable(); err != nil {
		return usageError{err}
	}
	servers, err := connectAll(ctx, redisURL)
	if err != nil {
		return err
	}
	defer closeAll(servers)
	started := time.Now()
	result, err := o.compare(ctx, servers, all, refused, recorded, status)
	if err != nil {
		return err
	}
	return o.deliver(out, status, result, recorded, started)
}

// compare runs all lanes that the servers can run.
func (o *options) compare(ctx context.Context, servers []*server, all []lane, refused []leftOut, recorded *trace, status io.Writer) (result outcome, err error) {
	all, unable, err := servers[0].able(ctx, all)
	if err != nil {
		return result, err
	}
	if len(all) == 0 {
		return result, errors.New(strings.Join(sentences(unable), "; "))
	}
	means := servers[0].means(ctx)
	jobs := o.jobs(all, recorded)
	show := newProgress(status, jobs)
	results, err := simulate(ctx, servers, jobs, show)
	show.end()
	if err != nil {
		return result, err
	}
	notes := append(notesOf(append(refused, unable...), results), means)
	return outcome{o.seed, o.traffic(), servers[0].name(ctx), o.policies(), notes, results}, nil
}

// connectAll returns a server for each worker: two inside the process, or the one
// that the user named, alone, so that its CPU is spent on one lane at a time.
func connectAll(ctx context.Context, url string) (servers []*server, err error) {
	for range 2 {
		s, err := connect(ctx, url)
		if err != nil {
			closeAll(servers)
			return nil, err
		}
		servers = append(servers, s)
		if s.embedded == nil {
			break
		}
	}
	return servers, nil
}

func closeAll(servers []*server) {
	for _, s := range servers {
		s.close()
	}
}

func notesOf(out []leftOut, results []result) (notes []string) {
	for _, text := range sentences(out) {
		notes = append(notes, "Left out: "+text)
	}
	for _, r := range results {
		if r.Metrics.Late {
			notes = append(notes, fmt.Sprintf("Not to be trusted: %s, %s. The machine stood still for a second, in which Redis may have let a key expire; run it again.", r.Lane.Label, r.Scenario.Title))
		}
	}
	return notes
}

// jobs are all lanes against all traffic.
func (o *options) jobs(all []lane, recorded *trace) (jobs []job) {
	if recorded != nil {
		for _, l := range all {
			jobs = append(jobs, recorded.job(l, o.tracePath, o.duration))
		}
		return jobs
	}
	for _, s := range scenarios {
		for _, l := range all {
			sh := o.shape(l.Policy)
			jobs = append(jobs, job{lane: l, scenario: s, arrivals: s.generate(sh, o.seed), duration: sh.duration})
		}
	}
	return jobs
}

// traffic says where the arrivals come from.
func (o *options) traffic() string {
	if o.tracePath != "" {
		return "the trace " + o.tracePath
	}
	return fmt.Sprintf("made up, seed %d", o.seed)
}

// policies are what was asked for: the name, limit and window of each.
func (o *options) policies() (list []core.Policy) {
	for _, r := range o.asked {
		list = append(list, r.policy)
	}
	return list
}
