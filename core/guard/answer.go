package guard

import (
	"time"

	"github.com/slidegate/slidegate/core"
)

// answer is what the decisions on one request say together.
type answer struct {
	now    time.Time
	ds     []core.Decision
	denied bool
	// retry is how long to wait before trying again; 0 where nothing is
	// denied, core.Never where waiting cannot help.
	retry time.Duration
	// lowest is the decision that dialects with room for one report, nil where
	// no decision has numbers.
	lowest *core.Decision
}

func summarise(now time.Time, ds []core.Decision) answer {
	a := answer{now: now, ds: ds}
	for i := range ds {
		d := &ds[i]
		if !d.Allowed {
			a.denied = true
			a.retry = max(a.retry, d.RetryAfter)
		}
		if hasNumbers(d) && (a.lowest == nil || lessLeft(d, a.lowest)) {
			a.lowest = d
		}
	}
	return a
}

// hasNumbers reports whether anybody knows what is left: not where the outage
// path only said yes or no.
func hasNumbers(d *core.Decision) bool {
	return d.Degraded != core.FailedOpen && d.Degraded != core.FailedClosed
}

// lessLeft reports whether a is the limit to tell of rather than b: the one
// with less left, of equals the one that denies, then the one back later.
func lessLeft(a, b *core.Decision) bool {
	switch {
	case a.Remaining != b.Remaining:
		return a.Remaining < b.Remaining
	case a.Allowed != b.Allowed:
		return b.Allowed
	}
	return a.ResetAfter > b.ResetAfter
}

// numbered returns the decision to list among those whose quota is q.
func (a *answer) numbered(q int64) *core.Decision {
	var chosen *core.Decision
	for i := range a.ds {
		d := &a.ds[i]
		if n, _ := quota(d.Policy); n == q && hasNumbers(d) && (chosen == nil || lessLeft(d, chosen)) {
			chosen = d
		}
	}
	return chosen
}

// waits reports whether a refusal should tell the client to come back.
func (a *answer) waits() bool { return a.denied && a.retry != core.Never }

// nextSeconds is t of Draft11, 0 to leave it out. Nothing on a refusal may
// outlast its Retry-After, says the draft.
func (a *answer) nextSeconds(d *core.Decision) int64 {
	t := seconds(d.NextAfter)
	if a.waits() {
		t = min(t, a.retrySeconds())
	}
	return t
}

// retrySeconds is at least 1: a client told to wait 0 would not wait.
func (a *answer) retrySeconds() int64 { return max(1, seconds(a.retry)) }

// reset is when to look again: where the request is refused at the time that
// Retry-After says, else when the allowance is whole.
func (a *answer) reset() time.Duration {
	if a.waits() {
		return a.retry
	}
	return a.lowest.ResetAfter
}

func (a *answer) resetSeconds() int64 {
	if a.waits() {
		return a.retrySeconds()
	}
	return seconds(a.reset())
}

// resetInstant is the first whole second since 1970 that is not too early.
func (a *answer) resetInstant() int64 {
	at := a.now.Add(max(0, a.reset()))
	if at.Nanosecond() > 0 {
		return at.Unix() + 1
	}
	return at.Unix()
}

func (a *answer) writeRetry(w *writer) {
	if a.waits() {
		w.integer(None, fieldRetryAfter, a.retrySeconds())
	}
}

// seconds rounds d up to whole seconds, at least 0.
func seconds(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64((d-1)/time.Second) + 1
}
