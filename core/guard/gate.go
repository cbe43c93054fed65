package guard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/keyfuncs"
)

// Engine is what a Gate needs of a *core.Limiter; tests supply others.
type Engine interface {
	AllowN(ctx context.Context, p core.Policy, key string, cost int64) (core.Decision, error)
	AllowAll(ctx context.Context, charges ...core.Charge) ([]core.Decision, error)
}

// limit is a policy and who shares it.
type limit struct {
	policy core.Policy
	key    keyfuncs.Func
}

// Gate judges the requests of one mounted Limit. Adapters make it once, at
// mount; programs have no use for it. All methods are safe for concurrent use.
type Gate struct {
	pkg       string
	engine    Engine
	limits    []limit // the one of Limit, then those of And
	dialects  []Dialect
	cost      func(keyfuncs.Request) int64
	skip      func(keyfuncs.Request) bool
	policyFor func(keyfuncs.Request, core.Policy) core.Policy
	counts    func(status int) bool
	onError   func(keyfuncs.Request, error) Action
	dryRun    bool
	extra     any
	logged    atomic.Int64 // when log last wrote, in seconds since 1970
}

// New returns the Gate of a Limit in package pkg. Anything that cannot be used
// panics, naming package, field and value.
func New(pkg string, engine Engine, p core.Policy, key keyfuncs.Func, opts ...Option) *Gate {
	g := &Gate{pkg: pkg, engine: engine, limits: []limit{{p, key}}, dialects: []Dialect{Draft11, Legacy}}
	g.onError = g.logTrouble
	for i, opt := range opts {
		if opt.apply == nil {
			g.refuse(fmt.Sprintf("option %d", i+1), "the zero Option", "make it with a function of package guard")
		}
		opt.apply(g)
	}
	g.check()
	return g
}

// Extra returns the value of the last Adapter option, nil without one.
func (g *Gate) Extra() any { return g.extra }

// logTrouble is OnError where nothing else is set: 500 for all, and a line in
// the log, since otherwise nobody would learn why.
func (g *Gate) logTrouble(_ keyfuncs.Request, err error) Action {
	g.log("a request was answered with 500; see guard.OnError", err)
	return Action{}
}

// log writes a line, at most one a minute for each Limit: the next thousand
// requests will say the same.
func (g *Gate) log(what string, err error) {
	now := time.Now().Unix()
	last := g.logged.Load()
	if now-last >= 60 && g.logged.CompareAndSwap(last, now) {
		slog.Error(g.pkg+": "+what, "policy", g.limits[0].policy.Name, "error", err)
	}
}

// Judge decides on a request and charges what it costs. It waits for Redis no
// longer than the Limiter's timeout, whether or not the client is still there.
func (g *Gate) Judge(r keyfuncs.Request) Verdict {
	if g.skip != nil && g.skip(r) {
		return Verdict{}
	}
	cost := int64(1)
	if g.cost != nil {
		cost = g.cost(r)
	}
	if len(g.limits) == 1 && g.counts == nil {
		return g.judgeOne(r, cost)
	}
	charges, err := g.charges(r, cost)
	if err != nil {
		return g.trouble(r, err)
	}
	return g.judgeAll(r, charges)
}

// judgeOne is the common case, without lists on the heap.
func (g *Gate) judgeOne(r keyfuncs.Request, cost int64) Verdict {
	c, err := g.charge(r, &g.limits[0], cost)
	if err != nil {
		return g.trouble(r, err)
	}
	d, err := g.engine.AllowN(lasting(r.Context()), c.Policy, c.Key, c.Cost)
	return g.verdict(r, []core.Decision{d}, err)
}

func (g *Gate) judgeAll(r keyfuncs.Request, charges []core.Charge) Verdict {
	ctx := lasting(r.Context())
	if g.counts == nil {
		ds, err := g.engine.AllowAll(ctx, charges...)
		return g.verdict(r, ds, err)
	}
	ds, err := g.look(ctx, charges)
	v := g.verdict(r, ds, err)
	if !v.Refused() {
		v.debt = &debt{g, ctx, charges}
	}
	return v
}

// lasting is ctx without its end. A client that hangs up must not get its
// request served uncounted; the Limiter has a deadline of its own.
func lasting(ctx context.Context) context.Context {
	if ctx.Done() == nil {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

// charges returns what a request of this cost charges to each limit.
func (g *Gate) charges(r keyfuncs.Request, cost int64) ([]core.Charge, error) {
	charges := make([]core.Charge, len(g.limits))
	for i := range g.limits {
		c, err := g.charge(r, &g.limits[i], cost)
		if err != nil {
			return nil, err
		}
		charges[i] = c
	}
	return charges, nil
}

// errEmptyKey stands for a key function that yields "" and no error: a key
// that strangers would share.
var errEmptyKey = fmt.Errorf("%w: the key function yielded an empty key", keyfuncs.ErrNoKey)

var errNegativeCost = errors.New("slidegate/core/guard: the Cost function returned less than 0")

func (g *Gate) charge(r keyfuncs.Request, l *limit, cost int64) (core.Charge, error) {
	key, err := l.key(r)
	switch {
	case err != nil:
		return core.Charge{}, err
	case key == "":
		return core.Charge{}, errEmptyKey
	case cost < 0:
		return core.Charge{}, errNegativeCost
	}
	p := l.policy
	if g.policyFor != nil {
		p = g.policyFor(r, p)
		if p != l.policy {
			if err := p.Validate(); err != nil {
				return core.Charge{}, fmt.Errorf("%s: PolicyFor: %w", g.pkg, err)
			}
		}
	}
	return core.Charge{Policy: p, Key: key, Cost: cost}, nil
}

// verdict turns what the engine said into an answer.
func (g *Gate) verdict(r keyfuncs.Request, ds []core.Decision, err error) Verdict {
	if err != nil {
		if !slices.ContainsFunc(ds, isDegraded) {
			return g.trouble(r, err)
		}
		g.log("Redis did not decide, so the policies' OnOutage did", err)
	}
	if g.dryRun {
		return Verdict{}
	}
	var room inline
	w := writer{text: room[:0]}
	a := summarise(time.Now(), ds)
	for _, d := range g.dialects {
		d.write(&w, &a)
	}
	if core.Allowed(ds) {
		return Verdict{message: w.message()}
	}
	a.writeRetry(&w)
	w.verbatim(fieldCacheControl, "no-store")
	return refusal(r, &a, &w)
}

func isDegraded(d core.Decision) bool { return d.Degraded != 0 }

// trouble answers a request that nobody can judge.
func (g *Gate) trouble(r keyfuncs.Request, err error) Verdict {
	action := g.onError(r, err)
	if action.serve || g.dryRun {
		return Verdict{}
	}
	status := action.status
	if status < 400 || status > 599 {
		status = http.StatusInternalServerError
	}
	var w writer
	w.verbatim(fieldCacheControl, "no-store")
	v := Verdict{Status: status, message: w.message()}
	v.setBody(r, problem{Title: statusTitle(status), Status: status}.body(), statusTitle(status)+"\n")
	return v
}
