// Package core is the engine of Slidegate: it decides whether a key may spend,
// and knows no HTTP.
//
// A decision is a list of charges (policy, key, cost). All charges of a
// decision are judged by one Lua script in one round trip: every state is read,
// and only if each charge has room is any written. (On Redis Cluster, keys of
// several slots need a call for each: see [Limiter.AllowAll].) Redis keeps the
// state and the time, so that all processes that share a Redis share one limit and one
// clock.
//
// # What is promised
//
// No more is admitted than the policy's algorithm says, whatever the number of
// callers and processes. A charge is sent at most once: an answer that was lost
// is reported as [ErrUnknownOutcome] and never sent again, so that no request
// counts twice. A denied charge writes nothing; only state that a clock wrote
// which has since stepped back, or a policy of another shape, is brought up to
// date by the first decision that sees it, allowed or denied.
//
// Concurrent decisions of one [Limiter] share calls to Redis (see [New]); none
// of this changes by it.
//
// # What is not
//
// Redis acknowledges before it replicates: a failover may forget the last
// charges, a restart without persistence all of them. An eviction policy other
// than noeviction may drop the state of a key at any time. Each of these gives
// keys back what they had spent, and no more than that.
//
// # Without Redis
//
// Each call has its own deadline (see [Timeout]), whatever the client's
// settings. When Redis does not decide in time, or says that it cannot, the
// call returns an error and a Decision that follows the policy's OnOutage. The
// Decision alone is enough to serve or refuse the request; the error says why,
// for logs.
package core
