package guard

import (
	"iter"
	"strconv"
	"time"

	"github.com/slidegate/slidegate/core"
)

// Dialect is a way of telling clients about limits in header fields. The zero
// value is Draft11.
type Dialect uint8

// The dialects. Draft11 and Legacy are on unless Headers says otherwise.
const (
	// Draft11 is draft-ietf-httpapi-ratelimit-headers-11: RateLimit-Policy and
	// RateLimit, one member for each policy.
	Draft11 Dialect = iota
	// Draft07 is draft 07 of the same: RateLimit holds limit, remaining and
	// reset of the policy with the least remaining.
	Draft07
	// Draft06 is draft 06 of the same, with a field for each of the three.
	Draft06
	// Legacy is X-RateLimit-Limit, -Remaining and -Reset, the last one as
	// seconds since 1970, of the policy with the least remaining.
	Legacy
	// None sends no fields; a refusal still carries Retry-After.
	None
)

var dialectNames = [...]string{"Draft11", "Draft07", "Draft06", "Legacy", "None"}

// String returns the constant's name, or Dialect(n) where n is none of them.
func (d Dialect) String() string {
	if int(d) < len(dialectNames) {
		return dialectNames[d]
	}
	return "Dialect(" + strconv.Itoa(int(d)) + ")"
}

// Fields yields the names and values of the header fields that tell a client
// about ds, the decisions on one request at the time now, in the order to send
// them. Retry-After comes last, where one of ds denies and waiting can help.
// Decisions that an outage path made without numbers have no fields but that.
//
// Times are whole seconds, rounded up, so that nobody is told to come too early.
// Policies with numbers that a field cannot hold are reported as the most it can.
// An unknown Dialect is None.
func (d Dialect) Fields(now time.Time, ds ...core.Decision) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		var w writer
		answer := summarise(now, ds)
		d.write(&w, &answer)
		answer.writeRetry(&w)
		m := w.message()
		for i := range m.n {
			if !yield(m.lines[i].field.name(), m.value(i)) {
				return
			}
		}
	}
}

func (d Dialect) write(w *writer, a *answer) {
	if a.lowest == nil {
		return
	}
	switch d {
	case Draft11:
		a.writeDraft11(w)
	case Draft07:
		a.writeDraft07(w)
	case Draft06:
		a.writeDraft06(w)
	case Legacy:
		a.writeLegacy(w)
	}
}

func (a *answer) writeDraft11(w *writer) {
	w.begin(Draft11, fieldPolicy)
	for i := range a.ds {
		d := &a.ds[i]
		if !hasNumbers(d) {
			continue
		}
		q, window := quota(d.Policy)
		w.member()
		w.string(d.Policy.Name)
		w.parameter(";q=", q)
		w.parameter(";w=", window)
	}
	w.begin(Draft11, fieldRateLimit)
	for i := range a.ds {
		d := &a.ds[i]
		if !hasNumbers(d) {
			continue
		}
		w.member()
		w.string(d.Policy.Name)
		w.parameter(";r=", d.Remaining)
		if t := a.nextSeconds(d); t > 0 {
			w.parameter(";t=", t)
		}
	}
}

func (a *answer) writeDraft07(w *writer) {
	q, _ := quota(a.lowest.Policy)
	w.begin(Draft07, fieldRateLimit)
	w.parameter("limit=", q)
	w.parameter(", remaining=", a.lowest.Remaining)
	w.parameter(", reset=", a.resetSeconds())
	a.writeOldPolicy(w, Draft07)
}

func (a *answer) writeDraft06(w *writer) {
	q, _ := quota(a.lowest.Policy)
	w.integer(Draft06, fieldLimit, q)
	w.integer(Draft06, fieldRemaining, a.lowest.Remaining)
	w.integer(Draft06, fieldReset, a.resetSeconds())
	a.writeOldPolicy(w, Draft06)
}

// writeOldPolicy lists quotas without names. The drafts forbid two of one
// number, as a client could not tell which of them limit= means.
func (a *answer) writeOldPolicy(w *writer, d Dialect) {
	w.begin(d, fieldPolicy)
	for i := range a.ds {
		q, window := quota(a.ds[i].Policy)
		if a.numbered(q) != &a.ds[i] {
			continue
		}
		w.member()
		w.parameter("", q)
		w.parameter(";w=", window)
	}
}

func (a *answer) writeLegacy(w *writer) {
	w.integer(Legacy, legacyLimit, allowance(a.lowest.Policy))
	w.integer(Legacy, legacyRemaining, a.lowest.Remaining)
	w.integer(Legacy, legacyReset, a.resetInstant())
}
