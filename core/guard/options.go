package guard

import (
	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/keyfuncs"
)

// Option changes what one mounted Limit does. Options are the same for every
// adapter, but for those that an adapter itself offers. An option that cannot
// be used, such as one made of a nil function, panics where Limit is called.
// Of an option given twice the later counts; And adds up.
//
// The functions inside options are called by many goroutines at once.
type Option struct{ apply func(*Gate) }

// And adds a limit: a request passes only if every limit has room, and is
// charged to all or to none, in one round trip. On Redis Cluster, limits of
// several keys take one more than there are keys: see core.Limiter.AllowAll.
// Names of policies differ.
func And(p core.Policy, key keyfuncs.Func) Option {
	return Option{func(g *Gate) { g.limits = append(g.limits, limit{p, key}) }}
}

// Cost sets how many units a request costs, from each of its limits; without
// it each costs 1. A cost of 0 passes and spends nothing; a negative one is an
// error for OnError. A cost above a policy's capacity is refused without
// Retry-After.
func Cost(f func(keyfuncs.Request) int64) Option {
	return Option{func(g *Gate) { g.must("Cost: function", f != nil); g.cost = f }}
}

// Skip lets requests pass for which f returns true: they are not counted, and
// their responses carry no fields.
func Skip(f func(keyfuncs.Request) bool) Option {
	return Option{func(g *Gate) { g.must("Skip: function", f != nil); g.skip = f }}
}

// PolicyFor chooses the policy for each request, as for plans and tiers: f is
// given the policy of the mount, or in turn each one of And, and returns it or
// another. Give each plan a Name of its own: policies of one name share what
// is spent. A policy that is not valid is an error for OnError.
func PolicyFor(f func(keyfuncs.Request, core.Policy) core.Policy) Option {
	return Option{func(g *Gate) { g.must("PolicyFor: function", f != nil); g.policyFor = f }}
}

// Headers sets in which dialects clients are told about their limits, in place
// of Draft11 and Legacy. At most one of the drafts can be had at a time, since
// they give one field different meanings. None stands alone.
func Headers(dialects ...Dialect) Option {
	return Option{func(g *Gate) { g.dialects = g.mustAgree(dialects) }}
}

// DryRun counts as usual and refuses nothing: the way to try a limit on real
// traffic. Responses carry no fields.
func DryRun() Option { return Option{func(g *Gate) { g.dryRun = true }} }

// CountOnly makes only those requests cost anything whose response has a
// status for which f returns true, such as failed logins. A request is let in
// if its cost would fit, and charged after the handler; requests that run at
// the same time are all let in by what is left, so that many at once may pass
// the limit by their number. Fields tell what was left before the request.
//
// A handler that panics has the status 500; the panic goes on. The charge is
// made even if the client has gone, and before the handler's caller goes on,
// so that a next request meets it.
func CountOnly(f func(status int) bool) Option {
	return Option{func(g *Gate) { g.must("CountOnly: function", f != nil); g.counts = f }}
}

// OnError decides on requests that cannot be judged, in place of a 500 for
// all of them and a line a minute in slog's default log: the key function found no key (errors.Is keyfuncs.ErrNoKey),
// PolicyFor or Cost returned what cannot be used, the Limiter is closed. It is
// also the place to log them. Outages of Redis do not come here: they follow
// the policy's OnOutage. In a DryRun what f returns does not matter.
func OnError(f func(keyfuncs.Request, error) Action) Option {
	return Option{func(g *Gate) { g.must("OnError: function", f != nil); g.onError = f }}
}

// Action is what OnError has done with a request. The zero Action is
// Refuse(500).
type Action struct {
	serve  bool
	status int
}

// Serve lets the request pass without a limit and without fields.
func Serve() Action { return Action{serve: true} }

// Refuse answers with status, such as 401. One that is no error status, 400 to
// 599, is answered as 500.
func Refuse(status int) Action { return Action{status: status} }

// Adapter makes an option of something that only the adapter of that package
// name can use; its Limit finds it as Gate.Extra. Mounted elsewhere it panics.
// It is for adapters: programs use the options that an adapter offers.
func Adapter(pkg, option string, value any) Option {
	return Option{func(g *Gate) {
		if pkg != g.pkg {
			g.refuse("option "+pkg+"."+option, "of another framework", "use that of "+g.pkg)
		}
		g.extra = value
	}}
}
