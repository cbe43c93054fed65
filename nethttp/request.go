package nethttp

import (
	"context"
	"fmt"
	"net/http"

	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/keyfuncs"
)

const pkg = "nethttp"

// Key makes a key function of one over net/http's own request, to stand where
// any key function does. Whatever it yields is the client's allowance: do not
// build it from headers that a client can choose. An empty key is an error.
// Key panics if f is nil.
func Key(f func(*http.Request) (string, error)) keyfuncs.Func {
	if f == nil {
		panic(pkg + ": Key: function is nil; give a function")
	}
	return func(r keyfuncs.Request) (string, error) {
		own, ok := r.(request)
		if !ok {
			return "", fmt.Errorf("nethttp: Key: mounted in another framework, which made a request of type %T", r)
		}
		return f(own.r)
	}
}

// OnDenied answers requests that a limit refuses with h, in place of the body
// of package guard. Fields and Retry-After are set already; h writes the
// status and the body. guard.RefusalFrom(r.Context()) says whether that would
// have been 429, or 503 since Redis is not there. Refusals for an error do not
// come here: see guard.OnError.
func OnDenied(h http.Handler) guard.Option {
	if h == nil {
		panic(pkg + ": OnDenied: handler is nil; give a handler")
	}
	return guard.Adapter(pkg, "OnDenied", h)
}

// request is a net/http request as key functions see it.
type request struct{ r *http.Request }

func (q request) Context() context.Context { return q.r.Context() }
func (q request) RemoteAddr() string       { return q.r.RemoteAddr }
func (q request) Method() string           { return q.r.Method }
func (q request) Path() string             { return q.r.URL.Path }
func (q request) Route() string            { return q.r.Pattern }
func (q request) Value(key any) any        { return q.r.Context().Value(key) }

// HeaderValues looks for Host where net/http puts it.
func (q request) HeaderValues(name string) []string {
	if http.CanonicalHeaderKey(name) == "Host" && q.r.Host != "" {
		return []string{q.r.Host}
	}
	return q.r.Header.Values(name)
}
