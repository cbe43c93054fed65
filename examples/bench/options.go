package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

type options struct {
	addr      string
	rounds    int
	duration  time.Duration // of one contender in one cell of one round
	callers   []int
	keys      []int
	links     []time.Duration // added each way
	limit     int64           // per minute
	pool      int             // connections of a go-redis client; 0: its own default
	only      *regexp.Regexp
	json      bool
	picture   string
	help      bool
	asked     []contender
	leftAlone []string // sentences about contenders that cannot run
}

func parseOptions(args []string, status io.Writer) (*options, error) {
	o := &options{callers: []int{1, 8, 64, 256, 1024}, keys: []int{10_000, 1}, links: []time.Duration{0, time.Millisecond}}
	f := o.flags()
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		o.help = true
		f.SetOutput(status)
		fmt.Fprintln(status, "usage: bench [flags]; without -addr it starts the Redis 7 that SLIDEGATE_REDIS7 names, or uses REDIS_URL")
		f.PrintDefaults()
		return o, nil
	}
	if err == nil {
		err = o.check(f.Args())
	}
	if err != nil {
		return nil, usageError{err}
	}
	return o, nil
}

func (o *options) flags() *flag.FlagSet {
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.addr, "addr", "", "`host:port` or redis:// URL of the Redis to load")
	f.IntVar(&o.rounds, "rounds", 5, "how often each contender runs in each cell; medians are taken")
	f.DurationVar(&o.duration, "duration", time.Second, "how long each of these lasts, after a warm-up of a quarter of it")
	f.Func("callers", "`list` of how many callers decide at once (default 1,8,64,256,1024)", list(&o.callers, count))
	f.Func("keys", "`list` of how many keys they decide over (default 10000,1)", list(&o.keys, count))
	f.Func("link", "`list` of delays added each way (default 0,1ms)", list(&o.links, delay))
	f.Int64Var(&o.limit, "limit", 1_000_000, "units per minute and key; the default admits almost all")
	f.IntVar(&o.pool, "pool", 0, "connections of each go-redis client (default 10 for each CPU, go-redis's own)")
	f.Func("only", "`regexp` of the contenders to run (default all)", o.setOnly)
	f.BoolVar(&o.json, "json", false, "print JSON, not tables")
	f.StringVar(&o.picture, "svg", "", "`file` for a chart of throughput and Redis CPU against "+base)
	return f
}

// check looks at what the flags say once all are read.
func (o *options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%q is no flag; lists are written with commas and without spaces", rest[0])
	case o.rounds < 1:
		return fmt.Errorf("-rounds is %d; want 1 or more", o.rounds)
	case o.duration < 10*time.Millisecond:
		return fmt.Errorf("-duration is %v; want 10ms or more", o.duration)
	case o.limit < 1 || o.limit > 1_000_000:
		return fmt.Errorf("-limit is %d; want 1 to 1000000, which all algorithms take", o.limit)
	case o.pool < 0:
		return fmt.Errorf("-pool is %d; want 0 for go-redis's default, or more", o.pool)
	}
	return o.choose()
}

// choose sets the contenders that -only asks for.
func (o *options) choose() error {
	for _, c := range contenders {
		if o.only == nil || o.only.MatchString(c.name) {
			o.asked = append(o.asked, c)
		}
	}
	if len(o.asked) == 0 {
		return fmt.Errorf("-only %q matches no contender; there are %s", o.only, strings.Join(names(contenders), ", "))
	}
	o.leftAlone = leftOut
	if slices.Contains(names(o.asked), base) {
		return nil
	}
	if o.picture != "" {
		return fmt.Errorf("-svg compares with %s, which -only %q leaves out", base, o.only)
	}
	o.leftAlone = append(slices.Clone(leftOut), base+" was left out by -only, so that there is nothing to compare with.")
	return nil
}

func (o *options) setOnly(text string) (err error) {
	o.only, err = regexp.Compile(text)
	return err
}

// list reads values with commas between them in place of the default ones.
func list[T any](into *[]T, parse func(string) (T, error)) func(string) error {
	return func(text string) error {
		var values []T
		for part := range strings.SplitSeq(text, ",") {
			v, err := parse(part)
			if err != nil {
				return err
			}
			values = append(values, v)
		}
		*into = values
		return nil
	}
}

func count(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1_000_000 {
		return 0, fmt.Errorf("%q is no number of 1 to 1000000", text)
	}
	return n, nil
}

func delay(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > time.Second {
		return 0, fmt.Errorf("%q is no delay of 0 to 1s", text)
	}
	return d, nil
}
