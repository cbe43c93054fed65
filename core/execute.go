package core

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/scripts"
)

// once is a command that go-redis sends at most once. A script whose reply was
// lost has perhaps counted; sending it again, as go-redis does with any other
// command, would count a request twice. MaxRetries does not reach the redirect
// loop of a cluster client; this does.
type once struct{ *redis.Cmd }

// NoRetry makes go-redis give up after the first attempt.
func (once) NoRetry() bool { return true }

// go-redis honours NoRetry only since it is part of Cmder.
var _ interface{ NoRetry() bool } = redis.Cmder(nil)

// errUnsent marks a call that ended before anything was sent.
var errUnsent = errors.New("the call ended before it was sent")

func unsent(err error) error {
	return &outageError{ErrNotExecuted, fmt.Errorf("%w: %w", errUnsent, err)}
}

// executor runs scripts and commands on Redis, each within a deadline.
type executor struct {
	rdb     redis.UniversalClient
	timeout time.Duration
	// bounded: the client itself gives up when a context's deadline passes.
	bounded bool
	reload  reloader
}

// run executes script within the executor's timeout. Its error wraps the class
// of the outcome.
func (x *executor) run(ctx context.Context, script *scripts.Script, args []any) (any, error) {
	return x.within(ctx, func(ctx context.Context) (any, error) {
		reply, err := x.eval(ctx, script, args)
		if err != nil && outcome(err) == ErrNotExecuted && x.timeLeft(ctx) {
			return x.eval(ctx, script, args)
		}
		return reply, err
	})
}

// timeLeft reports whether half of the timeout is left, enough for a second try.
func (x *executor) timeLeft(ctx context.Context) bool {
	deadline, _ := ctx.Deadline()
	return ctx.Err() == nil && time.Until(deadline) >= x.timeout/2
}

// eval sends EVALSHA, and EVAL where the server does not know the script: it
// forgets them on restart, failover, flush and, since Redis 7.4, eviction.
func (x *executor) eval(ctx context.Context, script *scripts.Script, args []any) (any, error) {
	reply, err := x.send(ctx, "evalsha", script.SHA, args)
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		return x.send(ctx, "eval", script.Source, args)
	}
	return reply, err
}

// command executes one command within the executor's timeout.
func (x *executor) command(ctx context.Context, name string, args ...any) (any, error) {
	return x.within(ctx, func(ctx context.Context) (any, error) {
		return x.send(ctx, name, args[0], args[1:])
	})
}

func (x *executor) send(ctx context.Context, name string, first any, rest []any) (any, error) {
	args := make([]any, 0, 2+len(rest))
	args = append(append(args, name, first), rest...)
	cmd := redis.NewCmd(ctx, args...)
	err := x.rdb.Process(ctx, once{cmd})
	if err != nil {
		x.reload.after(ctx, err)
	}
	return cmd.Val(), err
}

type answer struct {
	reply any
	err   error
}

// within calls send with a deadline and returns by then. Where the client does
// not heed deadlines, or the caller may be cancelled, send runs on by itself:
// go-redis does not notice either while it reads.
func (x *executor) within(parent context.Context, send func(context.Context) (any, error)) (any, error) {
	if err := parent.Err(); err != nil {
		return nil, unsent(err)
	}
	ctx, cancel := context.WithTimeout(parent, x.timeout)
	defer cancel()
	if x.bounded && parent.Done() == nil {
		return classed(send(ctx))
	}
	done := make(chan answer, 1)
	go func() { done <- guarded(ctx, send) }()
	select {
	case a := <-done:
		return classed(a.reply, a.err)
	case <-ctx.Done():
		return nil, &outageError{ErrUnknownOutcome, ctx.Err()}
	}
}

// guarded turns a panic of the client or of one of its hooks into an error: it
// happens on a goroutine of ours, where no server would recover it.
func guarded(ctx context.Context, send func(context.Context) (any, error)) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{err: fmt.Errorf("the redis client panicked: %v", p)}
		}
	}()
	reply, err := send(ctx)
	return answer{reply, err}
}

func classed(reply any, err error) (any, error) {
	if err != nil {
		return nil, &outageError{outcome(err), err}
	}
	return reply, nil
}

// reloader has a cluster client look for the masters again when one stops
// answering; by itself it would go on asking a dead one for up to a minute.
type reloader struct {
	cluster *redis.ClusterClient
	last    atomic.Int64
}

const reloadPause = 100 * time.Millisecond

func (r *reloader) after(ctx context.Context, err error) {
	if r.cluster == nil {
		return
	}
	if _, answered := redisCode(err); answered {
		return
	}
	now := time.Now().UnixNano()
	last := r.last.Load()
	if now-last >= int64(reloadPause) && r.last.CompareAndSwap(last, now) {
		r.cluster.ReloadState(ctx)
	}
}
