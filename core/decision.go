package core

import (
	"math"
	"time"
)

// Never is the RetryAfter of a cost that no wait can make fit.
const Never = time.Duration(math.MaxInt64)

// Degraded says which outage path answered in place of Redis. Zero means that
// Redis decided.
type Degraded uint8

const (
	_            Degraded = iota // decided by Redis
	FailedOpen                   // served because Policy.OnOutage is Open
	FailedClosed                 // refused because Policy.OnOutage is Closed
)

// String returns "" for a decision by Redis, else the constant's name.
func (d Degraded) String() string {
	switch d {
	case FailedOpen:
		return "FailedOpen"
	case FailedClosed:
		return "FailedClosed"
	}
	return ""
}

// Decision is the answer for one charge. All durations are from the moment of
// the decision, in whole microseconds, rounded up: waiting that long is enough
// if nothing else is spent meanwhile. The zero Decision is a denial.
//
// Where Degraded is not zero, Redis did not decide: Allowed follows the
// policy's OnOutage and the numbers are zero, for nobody knows them.
type Decision struct {
	Policy Policy
	// Cost is the number of units asked for; 0 was a look.
	Cost int64
	// Allowed reports whether this charge has room. In AllowAll the request is
	// allowed only if every charge is: see Allowed.
	Allowed bool
	// Remaining is how many units the key could spend now; never negative.
	Remaining int64
	// RetryAfter is 0 when allowed, else the time until this cost would fit;
	// Never when it exceeds the policy's capacity.
	RetryAfter time.Duration
	// NextAfter is the time until Remaining next grows; 0 when it is whole.
	NextAfter time.Duration
	// ResetAfter is the time until the whole allowance is back; 0 when it is.
	// Under LayeredWindow that is all of Limit, of which FineLimit and
	// CoarseLimit may leave less at a time: Remaining can be whole before.
	ResetAfter time.Duration
	// Degraded is zero when Redis decided, else the outage path that answered.
	Degraded Degraded
	// Repaired reports that the key held something that was not this
	// algorithm's state, and that it was reset before deciding.
	Repaired bool
}

// Allowed reports whether every decision is allowed: the answer of an AllowAll.
// It is false for no decisions at all.
func Allowed(ds []Decision) bool {
	for _, d := range ds {
		if !d.Allowed {
			return false
		}
	}
	return len(ds) > 0
}

// Charge is one policy applied to one key at one cost, for AllowAll. A Cost of
// 0 looks without spending.
type Charge struct {
	Policy Policy
	Key    string
	Cost   int64
}
