package guard

import (
	"context"
	"net/http"
	"slices"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/keyfuncs"
)

// Verdict says what to do with one request. The zero Verdict serves it and
// adds nothing. It belongs to the goroutine that serves the request.
type Verdict struct {
	// Status is that of a refusal, 0 where the request is to be served.
	Status int
	// ContentType and Body are those of a refusal. For HEAD Body is empty.
	ContentType string
	Body        string

	denied    bool // refused by a limit, not for an error
	decisions []core.Decision
	message   message
	debt      *debt
}

// Refused reports whether the handler must not run.
func (v *Verdict) Refused() bool { return v.Status != 0 }

// Denied reports whether a limit refuses the request, with 429 or, where Redis
// is not there and the policy is Closed, 503: what OnDenied handlers answer.
func (v *Verdict) Denied() bool { return v.denied }

// Owes reports whether the request is counted by the handler's outcome, so
// that the handler is to be called through Serve.
func (v *Verdict) Owes() bool { return v.debt != nil }

// refusal is the Verdict on a request for which a does not have room.
func refusal(r keyfuncs.Request, a *answer, w *writer) Verdict {
	v := Verdict{Status: http.StatusTooManyRequests, denied: true, decisions: slices.Clone(a.ds)}
	if closed(a.ds) {
		v.Status = http.StatusServiceUnavailable
	}
	v.message = w.message()
	v.setBody(r, refusalProblem(v.Status, a.ds), refusalText(v.Status, a))
	return v
}

// closed reports whether nothing but the want of Redis stands in the way.
func closed(ds []core.Decision) bool {
	missing := false
	for _, d := range ds {
		if !d.Allowed {
			if d.Degraded != core.FailedClosed {
				return false
			}
			missing = true
		}
	}
	return missing
}

// setBody chooses between the bodies by what the client accepts.
func (v *Verdict) setBody(r keyfuncs.Request, problem, text string) {
	v.ContentType, v.Body = typeText, text
	if acceptsProblem(r.HeaderValues("Accept")) {
		v.ContentType, v.Body = typeProblem, problem
	}
	if r.Method() == http.MethodHead {
		v.Body = ""
	}
}

// Refusal is what an OnDenied handler may want to know.
type Refusal struct {
	// Status is what the client would have been answered: 429, or 503 where
	// Redis is not there and the policy is Closed.
	Status int
	// Decisions are those on each limit, that of Limit first. At least one is
	// not Allowed; nothing was charged to any.
	Decisions []core.Decision
}

type refusalKey struct{}

// Context returns ctx with the refusal in it, for RefusalFrom. It is for
// adapters.
func (v *Verdict) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, refusalKey{}, Refusal{v.Status, v.decisions})
}

// RefusalFrom returns why a request was refused, from the context of the
// request that an OnDenied handler is given; false anywhere else.
func RefusalFrom(ctx context.Context) (Refusal, bool) {
	r, ok := ctx.Value(refusalKey{}).(Refusal)
	return r, ok
}
