package core

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// Limiter decides with the state that Redis holds. Make one with New and share
// it: all methods are safe for concurrent use. It starts no goroutine that
// outlives a call by more than the client's own timeouts.
type Limiter struct {
	executor
	keys  keyspace
	plans plans
	tag   atomic.Int64
	clock func() int64 // µs for the scripts, 0 for Redis's own; other clocks are for tests

	fieldTTL support
	cluster  cluster
	combiner combiner

	mu      sync.RWMutex
	closed  bool
	working sync.WaitGroup
}

// New returns a Limiter on a go-redis client, cluster client or failover
// client, which stays the caller's to configure and close. Nothing is sent
// before the first decision, so an app starts while Redis is down.
//
// Concurrent decisions share calls: while two calls are under way (up to eight
// where Redis is far), later callers queue, and the next call carries up to 128
// charges for all of them. A caller alone is sent at once. One who leaves the
// queue, cancelled or at the deadline, was not charged (ErrNotExecuted); one who
// leaves a call under way does not know (ErrUnknownOutcome); neither disturbs
// the others. What Redis counts and answers is that of calls one by one, in some
// order, and a call that fails is an error of one class for all in it. A shared
// call is nobody's own: hooks of the client see it with a context without
// values. On Redis Cluster decisions do not share calls. See Unbatched.
//
// The error is an *ArgumentError: a nil client, a Ring (it moves keys between servers, and
// with them every count), or an option that cannot be used.
//
// Set ContextTimeoutEnabled in the client's options: go-redis then gives a
// connection up at the decision's deadline, not at its own ReadTimeout.
func New(rdb redis.UniversalClient, opts ...Option) (*Limiter, error) {
	if rdb == nil || reflect.ValueOf(rdb).Kind() == reflect.Pointer && reflect.ValueOf(rdb).IsNil() {
		return nil, &ArgumentError{"New: rdb", "nil", "a redis client, such as redis.NewClient(…)"}
	}
	l := &Limiter{
		executor: executor{rdb: rdb, timeout: defaultTimeout},
		keys:     keyspace{prefix: defaultPrefix},
		clock:    func() int64 { return 0 },
		combiner: newCombiner(),
	}
	switch client := rdb.(type) {
	case *redis.Client:
		l.bounded = client.Options().ContextTimeoutEnabled
	case *redis.ClusterClient:
		l.bounded = client.Options().ContextTimeoutEnabled
		l.reload.cluster = client
		l.cluster.here.Store(true)
	case *redis.Ring:
		return nil, &ArgumentError{"New: rdb", "a redis.Ring", "a Client, FailoverClient or ClusterClient: a Ring moves keys to servers that do not have the counts"}
	}
	for _, opt := range opts {
		if opt == nil {
			return nil, &ArgumentError{"New: option", "nil", "no nil among the options"}
		}
		if err := opt(l); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Allow charges one unit of p to key, in one round trip, which it may share.
//
// An error means that Redis did not decide, or that an argument cannot be used
// (*PolicyError, *ArgumentError). In the first case it wraps ErrNotExecuted,
// ErrUnknownOutcome, ErrConfiguration, ErrScript or ErrReply, and the Decision
// follows p.OnOutage: it alone is enough to serve or refuse. In the second the
// Decision is a denial. A denial by Redis is no error.
func (l *Limiter) Allow(ctx context.Context, p Policy, key string) (Decision, error) {
	return l.AllowN(ctx, p, key, 1)
}

// AllowN is Allow for cost units, all or none of them. A cost of 0 looks
// without charging. A cost above p.Capacity() is denied with RetryAfter Never;
// a negative one is an *ArgumentError.
func (l *Limiter) AllowN(ctx context.Context, p Policy, key string, cost int64) (Decision, error) {
	c, err := l.charge(p, key, cost)
	if err != nil {
		return Decision{Policy: p, Cost: cost}, err
	}
	decisions, err := l.decide(ctx, batch{[]charge{c}, []int{1}})
	return decisions[0], err
}

// Peek is the Decision that a charge of 0 gets: what key could spend under p
// now. It writes nothing, and is always Allowed: look at Remaining.
func (l *Limiter) Peek(ctx context.Context, p Policy, key string) (Decision, error) {
	return l.AllowN(ctx, p, key, 0)
}

// AllowAll judges several charges together, in one round trip: if each has
// room all are charged, else none is. It returns a Decision for each charge, in
// order; Allowed says whether the request may pass. Where it may not, a
// Decision that is itself Allowed had room and was not charged.
//
// Charges of one policy and key are judged as their sum. Errors are those of
// Allow.
//
// On Redis Cluster this holds for charges of one key. Those of several keys
// live on several nodes, and no script reaches them all. AllowAll then looks at
// all of them first; if each has room it charges them key by key in the order
// of their appearance, and where a later one has none left it gives back what
// it had charged. That takes a round trip more than there are keys. It never
// allows what does not fit, but others may meet units that are only held:
//
//   - Two calls that want the last units of the same keys may both be denied.
//     Naming keys in one order everywhere makes that rare.
//   - A charge whose answer is lost, and a give-back that fails, leave units
//     held for a request that was not admitted. They leave as if admitted: after
//     Window (and a sub-window), and from buckets and GCRA at Limit per Window.
//     So do those of an AdaptiveWindow, which takes none back.
//   - A bucket or GCRA gets back its units less what could leave since they
//     were charged, so that nobody gains by it: at most Limit per Window for as
//     long as the call takes.
//   - A Reset between a charge and its give-back, or a failover that forgets the
//     charge, lets as many units more through as are given back.
//
// The give-back has a Timeout of its own and is tried even if ctx has ended;
// the call does not wait for it any longer than for a decision, Close does. It
// is sent once, and again only if it certainly did not run.
//
// Where a node fails, the Decisions for its keys are those of an outage, and
// nothing is charged, or what was is given back. ErrUnknownOutcome then means
// that each key's charge counted once or not at all.
func (l *Limiter) AllowAll(ctx context.Context, charges ...Charge) ([]Decision, error) {
	joint, err := l.join(charges)
	if err != nil {
		return refusals(charges), err
	}
	decisions, err := l.decideAll(ctx, joint.charges)
	return joint.spread(charges, decisions), err
}

// Reset forgets what key has spent under p, so that its whole allowance is
// back. It may be called again after any error.
func (l *Limiter) Reset(ctx context.Context, p Policy, key string) error {
	c, err := l.charge(p, key, 0)
	if err != nil {
		return err
	}
	if !l.enter() {
		return ErrClosed
	}
	defer l.working.Done()
	_, err = l.command(ctx, "del", c.key)
	return err
}

// Close waits for the calls under way and makes all later ones return
// ErrClosed. It does not close the client. It may be called more than once; the
// error is always nil.
func (l *Limiter) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.working.Wait()
	return nil
}

// enter counts a call as under way; false after Close.
func (l *Limiter) enter() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if !l.closed {
		l.working.Add(1)
	}
	return !l.closed
}

func (l *Limiter) charge(p Policy, key string, cost int64) (charge, error) {
	plan, err := l.plans.of(p)
	switch {
	case err != nil:
		return charge{}, err
	case key == "":
		return charge{}, &ArgumentError{"key", "", "a key that is not empty: without one all callers would share a limit"}
	case cost < 0:
		return charge{}, &ArgumentError{"cost", cost, "0 or more"}
	}
	return charge{plan, l.keys.redisKey(key, plan.suffix), cost}, nil
}

// decide has Redis judge b. It always returns a Decision for each charge.
func (l *Limiter) decide(ctx context.Context, b batch) ([]Decision, error) {
	if !l.enter() {
		return denials(b.charges), ErrClosed
	}
	defer l.working.Done()
	decisions, err := l.ask(ctx, b)
	if err != nil {
		return outage(b.charges), err
	}
	return decisions, nil
}

func (l *Limiter) ask(ctx context.Context, b batch) ([]Decision, error) {
	if err := l.fieldTTL.check(ctx, l, b); err != nil {
		return nil, err
	}
	if l.combines(b) {
		return l.askTogether(ctx, b)
	}
	return l.askAlone(ctx, b)
}

func (l *Limiter) askAlone(ctx context.Context, b batch) ([]Decision, error) {
	tag := l.nextTag()
	reply, err := l.run(ctx, b.script(), b.args(tag, l.clock()))
	if err != nil {
		return nil, err
	}
	decisions, err := decode(reply, tag, b.charges)
	if err != nil {
		return nil, &outageError{ErrReply, err}
	}
	return decisions, nil
}

// nextTag returns a number that Redis can echo.
func (l *Limiter) nextTag() int64 {
	const echoable = 1<<53 - 1
	return l.tag.Add(1) & echoable
}

// outage returns what each charge's policy answers while Redis does not.
func outage(charges []charge) []Decision {
	decisions := denials(charges)
	for i := range decisions {
		d := &decisions[i]
		d.Degraded, d.Allowed = FailedOpen, true
		if d.Policy.OnOutage == Closed {
			d.Degraded, d.Allowed, d.RetryAfter = FailedClosed, false, outageRetry
		}
	}
	return decisions
}

// outageRetry is the RetryAfter of a refusal because Redis is not there.
const outageRetry = time.Second

func denials(charges []charge) []Decision {
	decisions := make([]Decision, len(charges))
	for i, c := range charges {
		decisions[i] = Decision{Policy: c.plan.policy, Cost: c.cost}
	}
	return decisions
}
