package nethttp

import (
	"io"
	"net/http"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/keyfuncs"
)

// Limit returns a middleware that charges each request to the key that key
// yields, under policy p, and refuses those for which there is no room. It
// panics, naming package, field and value, if anything it is given cannot be
// used, such as a nil Limiter or a policy that is not valid; it does not panic
// while serving. The middleware may be mounted many times, and is safe for
// concurrent use. Without Redis, requests follow p.OnOutage.
func Limit(rl *core.Limiter, p core.Policy, key keyfuncs.Func, opts ...guard.Option) func(http.Handler) http.Handler {
	return limit(rl, p, key, opts)
}

func limit(engine guard.Engine, p core.Policy, key keyfuncs.Func, opts []guard.Option) func(http.Handler) http.Handler {
	gate := guard.New(pkg, engine, p, key, opts...)
	denied, _ := gate.Extra().(http.Handler)
	return func(next http.Handler) http.Handler {
		if next == nil {
			panic(pkg + ": Limit: handler is nil; give the handler to limit")
		}
		return &handler{gate, denied, next}
	}
}

// handler is one mount of a Limit.
type handler struct {
	gate   *guard.Gate
	denied http.Handler // nil without OnDenied
	next   http.Handler
}

// ServeHTTP serves r if there is room for it.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := h.gate.Judge(request{r})
	v.ApplyTo(w.Header())
	switch {
	case v.Refused():
		h.refuse(w, r, &v)
	case v.Owes():
		v.Serve(func() int {
			seen := &recorder{ResponseWriter: w}
			h.next.ServeHTTP(seen, r)
			return seen.statusOr200()
		})
	default:
		h.next.ServeHTTP(w, r)
	}
}

func (h *handler) refuse(w http.ResponseWriter, r *http.Request, v *guard.Verdict) {
	if v.Denied() && h.denied != nil {
		h.denied.ServeHTTP(w, r.WithContext(v.Context(r.Context())))
		return
	}
	w.Header().Set("Content-Type", v.ContentType)
	w.WriteHeader(v.Status)
	_, _ = io.WriteString(w, v.Body)
}
