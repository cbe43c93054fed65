package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"github.com/slidegate/slidegate/core"
)

type options struct {
	asked           []request
	tracePath       string
	report, picture string
	seed            uint64
	duration        time.Duration // 0: so many windows
	quick           bool
	json, markdown  bool
	help            bool
}

// How many windows a run lasts, and how many clients are many.
const (
	windows, quickWindows = 6, 3
	clients, quickClients = 200, 40
)

func parseOptions(args []string, status io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("simulate", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Func("policy", "`name=LIMIT/WINDOW[,field=value…]`, repeatable: a limit under every algorithm, or with fields the one policy that they spell out (default api=100/1m)", o.addPolicy)
	f.StringVar(&o.tracePath, "trace", "", "replay this `file` (- is standard input) in place of made-up traffic: a line for each request, \"timestamp key\"")
	f.StringVar(&o.report, "out", "report.html", "where the page with charts goes; empty for none")
	f.StringVar(&o.picture, "picture", "", "`file` for the summary as one SVG picture")
	f.Uint64Var(&o.seed, "seed", 0, "of the made-up traffic (default random; it is printed)")
	f.DurationVar(&o.duration, "duration", 0, "virtual time (default 6 windows, or the whole trace)")
	f.BoolVar(&o.quick, "quick", false, "fewer clients, 3 windows and a limit of 20 per minute: some seconds")
	f.BoolVar(&o.json, "json", false, "print JSON, not tables")
	f.BoolVar(&o.markdown, "markdown", false, "print the table to choose by as Markdown, not tables")
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		o.help = true
		f.SetOutput(status)
		fmt.Fprintln(status, "usage: simulate [flags]; REDIS_URL=redis://host:6379 names a Redis, else there is one inside the process")
		f.PrintDefaults()
		fmt.Fprintln(status, "fields of -policy")
		for _, known := range fields {
			fmt.Fprintf(status, "  %s=…\n    \t%s\n", known.name, known.want)
		}
		return o, nil
	}
	if err == nil {
		err = o.complete(f)
	}
	if err != nil {
		return nil, usageError{err}
	}
	return o, nil
}

func (o *options) addPolicy(text string) error {
	r, err := parsePolicy(text)
	o.asked = append(o.asked, r)
	return err
}

// complete checks what the flags say together, and fills in what they do not.
func (o *options) complete(f *flag.FlagSet) error {
	switch {
	case f.NArg() > 0:
		return fmt.Errorf("%q is no flag; policies go to -policy and traces to -trace", f.Arg(0))
	case o.json && o.markdown:
		return errors.New("-json and -markdown both want standard output; choose one")
	}
	if len(o.asked) == 0 {
		p := core.PerMinute("api", 100)
		if o.quick {
			p.Limit = 20
		}
		o.asked = []request{{policy: p, every: true}}
	}
	seeded := false
	f.Visit(func(set *flag.Flag) { seeded = seeded || set.Name == "seed" })
	if !seeded {
		o.seed = rand.Uint64N(1_000_000)
	}
	return o.checkDuration()
}

// checkDuration wants room for an attack, and an end within somebody's patience.
func (o *options) checkDuration() error {
	if o.duration == 0 || o.tracePath != "" && o.duration > 0 {
		return nil
	}
	for _, r := range o.asked {
		if w := r.policy.Window; w > 0 && (o.duration < 2*w || o.duration > 1000*w) {
			return fmt.Errorf("-duration is %v; want 2 to 1,000 windows of policy %s, %v to %v", o.duration, r.policy.Name, 2*w, 1000*w)
		}
	}
	return nil
}

// shape is what made-up traffic measures p by.
func (o *options) shape(p core.Policy) shape {
	sh := shape{p.Limit, p.Window, parts(p), windows * p.Window, clients}
	if o.quick {
		sh.duration, sh.clients = quickWindows*p.Window, quickClients
	}
	if o.duration > 0 {
		sh.duration = o.duration
	}
	return sh
}

// readTrace returns nil where there is none to read.
func (o *options) readTrace(in io.Reader) (*trace, error) {
	switch o.tracePath {
	case "":
		return nil, nil
	case "-":
		return readTrace("standard input", in)
	}
	file, err := os.Open(o.tracePath)
	if err != nil {
		return nil, fmt.Errorf("-trace %s cannot be read (%w)", o.tracePath, root(err))
	}
	defer file.Close()
	return readTrace(o.tracePath, file)
}
