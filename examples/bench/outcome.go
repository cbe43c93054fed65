package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// An outcome is all that a run found.
type outcome struct {
	Rig    string // the machine, and how busy it was
	Setup  string
	Notes  []string
	Checks []checked
	Blocks []*block
}

// checked is a contender, its version and how its check went.
type checked struct {
	Name    string  `json:"name"`
	Module  string  `json:"module"`
	Version string  `json:"version"`
	Check   verdict `json:"check"`
}

// A block is one cell with a row for each contender.
type block struct {
	Cell cell
	Rows []*row
}

type row struct {
	Contender string
	Rounds    []sample
}

// describe says what the figures were taken on.
func (r *rig) describe(ctx context.Context) *outcome {
	began := time.Now().UTC().Format("2006-01-02 15:04")
	o := &outcome{Notes: r.leftAlone}
	o.Rig = fmt.Sprintf("%s UTC, %s, %s %s/%s, %d CPUs%s", began, r.server.name(ctx), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), loadAverage())
	o.Setup = fmt.Sprintf("%d rounds of %v, limit %d per minute and key, %s", r.rounds, r.duration, r.limit, r.connections())
	return o
}

// connections are those of each go-redis client; rueidis has its own few.
func (r *rig) connections() string {
	if r.pool == 0 {
		return fmt.Sprintf("go-redis with its default of %d connections", 10*runtime.GOMAXPROCS(0))
	}
	return fmt.Sprintf("go-redis with %d connections", r.pool)
}

// loadAverage says how busy the machine was before the run, where Linux tells.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return ""
	}
	return fmt.Sprintf(", load %s (%s over five minutes)", fields[0], fields[1])
}

func (o *outcome) checked(c contender, v verdict) {
	o.Checks = append(o.Checks, checked{c.name, c.module, version(c.module), v})
	if !v.ok() {
		o.Notes = append(o.Notes, fmt.Sprintf("%s is not measured: %s.", c.name, v.Problem))
	}
}

// version is that of a module in this program; of Slidegate, whose source is beside
// it, there is none.
func version(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == module && m.Replace == nil {
			return m.Version
		}
	}
	return "this checkout"
}

// first is the contender that runs first in each cell.
func (o *outcome) first() string {
	for _, c := range o.Checks {
		if c.Check.ok() {
			return c.Name
		}
	}
	return ""
}

// add puts what a turn found into its place.
func (o *outcome) add(t turn, s sample) {
	into := o.block(t.cell).row(t.name)
	into.Rounds = append(into.Rounds, s)
}

func (o *outcome) block(c cell) *block {
	for _, b := range o.Blocks {
		if b.Cell == c {
			return b
		}
	}
	o.Blocks = append(o.Blocks, &block{Cell: c})
	return o.Blocks[len(o.Blocks)-1]
}

func (b *block) row(name string) *row {
	for _, r := range b.Rows {
		if r.Contender == name {
			return r
		}
	}
	b.Rows = append(b.Rows, &row{Contender: name})
	return b.Rows[len(b.Rows)-1]
}

// base is the row that others are compared with; empty where -only left it out.
func (b *block) base() *row {
	for _, r := range b.Rows {
		if r.Contender == base {
			return r
		}
	}
	return &row{}
}

// trouble is the share of a row's calls that failed, and why the first did.
func (r *row) trouble() (share float64, why string) {
	var errors, decisions int64
	for _, s := range r.Rounds {
		errors, decisions = errors+s.errors, decisions+s.decisions
		if why == "" {
			why = s.firstError
		}
	}
	return float64(errors) / float64(max(1, errors+decisions)), why
}

// admitted is the share of a row's decisions that let the caller pass.
func (r *row) admitted() float64 {
	var admits, decisions int64
	for _, s := range r.Rounds {
		admits, decisions = admits+s.admits, decisions+s.decisions
	}
	return ratio(float64(admits), float64(decisions))
}

var errNothing = errors.New("interrupted before anything was measured")

func (o *outcome) ended(early bool) (*outcome, error) {
	if len(o.Blocks) == 0 {
		return nil, errNothing
	}
	if early {
		o.Notes = append(o.Notes, "Interrupted: some medians are over fewer rounds, and some cells are missing.")
	}
	return o, nil
}
