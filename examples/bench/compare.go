package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// A rig is what all contenders share.
type rig struct {
	*options
	server *server
	links  map[time.Duration]string // addresses
	stops  []func()
	status io.Writer
}

// compare runs the whole rotation. Interrupted, it returns what it has.
func compare(ctx context.Context, o *options, s *server, status io.Writer) (*outcome, error) {
	r := &rig{options: o, server: s, links: map[time.Duration]string{}, status: status}
	defer r.close()
	if err := r.connect(); err != nil {
		return nil, err
	}
	result := r.describe(ctx)
	able := r.checkAll(ctx, result)
	if len(able) == 0 && ctx.Err() == nil {
		return nil, errors.New("no contender passed the check: " + strings.Join(result.Notes, " "))
	}
	r.runAll(ctx, able, result)
	return result.ended(ctx.Err() != nil)
}

// runAll keeps no turn that an interrupt cut short.
func (r *rig) runAll(ctx context.Context, able []contender, result *outcome) {
	for t := range rotation(r.rounds, r.cells(), able) {
		r.tell(t, result)
		taken, err := r.turn(ctx, t)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			taken = failed(err)
		}
		result.add(t, taken)
	}
}

// failed is the sample of a contender that could not even be opened.
func failed(err error) sample {
	return sample{figures: nothing(), errors: 1, firstError: err.Error()}
}

// connect starts the slow links.
func (r *rig) connect() error {
	for _, d := range r.options.links {
		addr, stop, err := startLink(d, r.server.target.Addr)
		if err != nil {
			return fmt.Errorf("-link %v: %w", d, err)
		}
		r.links[d] = addr
		r.stops = append(r.stops, stop)
	}
	return nil
}

func (r *rig) close() {
	for _, stop := range r.stops {
		stop()
	}
}

func (r *rig) session(addr string, limit int64) session {
	s := session{target: r.server.target, pool: r.pool, limit: limit}
	s.target.Addr = addr
	return s
}

// checkAll returns the contenders that decide, and notes those that do not.
func (r *rig) checkAll(ctx context.Context, result *outcome) (able []contender) {
	for _, c := range r.asked {
		v := r.check(ctx, c)
		result.checked(c, v)
		if v.ok() {
			able = append(able, c)
		}
	}
	return able
}

// turn opens a contender, measures it in one cell and removes its keys.
func (r *rig) turn(ctx context.Context, t turn) (taken sample, err error) {
	tag := newTag()
	err = r.session(r.links[t.cell.Link], r.limit).with(ctx, t.contender, func(l limiter) error {
		taken = r.measure(ctx, load{l, keysOf(tag, t.cell.Keys), t.cell.Callers}, r.duration)
		return nil
	})
	taken.figures[keyBytes] = r.clean(ctx, tag)
	return taken, err
}

// clean removes the keys with tag and returns how large they were; also after an
// interrupt.
func (r *rig) clean(ctx context.Context, tag string) (size float64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	keys, err := r.server.find(ctx, tag)
	if err == nil {
		size = r.server.sizes(ctx, keys)
		err = r.server.remove(ctx, keys)
	}
	if err != nil {
		fmt.Fprintln(r.status, "bench:", err)
	}
	return size
}

// tell says where the run is, once for each cell.
func (r *rig) tell(t turn, result *outcome) {
	if t.name == result.first() {
		fmt.Fprintf(r.status, "round %d of %d: %s\n", t.round+1, r.rounds, t.cell)
	}
}
