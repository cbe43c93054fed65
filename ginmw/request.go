package ginmw

import (
	"context"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/keyfuncs"
)

const pkg = "ginmw"

// Key makes a key function of one over Gin's own context, to stand where any
// key function does. Whatever it yields is the client's allowance: do not build
// it from headers that a client can choose, nor from c.ClientIP unless Gin's
// trusted proxies are set. An empty key is an error. Key panics if f is nil.
func Key(f func(*gin.Context) (string, error)) keyfuncs.Func {
	if f == nil {
		panic(pkg + ": Key: function is nil; give a function")
	}
	return func(r keyfuncs.Request) (string, error) {
		own, ok := r.(request)
		if !ok {
			return "", fmt.Errorf("ginmw: Key: mounted in another framework, which made a request of type %T", r)
		}
		return f(own.c)
	}
}

// OnDenied answers requests that a limit refuses with h, in place of the body
// of package guard. Fields, Retry-After and the status are set already, and
// the chain is aborted; h writes the body, and may set another status.
// guard.RefusalFrom(c.Request.Context()) says whether it is 429, or 503 since
// Redis is not there. Refusals for an error do not come here: see
// guard.OnError.
func OnDenied(h gin.HandlerFunc) guard.Option {
	if h == nil {
		panic(pkg + ": OnDenied: handler is nil; give a handler")
	}
	return guard.Adapter(pkg, "OnDenied", h)
}

// request is a Gin request as key functions see it.
type request struct{ c *gin.Context }

func (q request) Context() context.Context { return q.c.Request.Context() }
func (q request) RemoteAddr() string       { return q.c.Request.RemoteAddr }
func (q request) Method() string           { return q.c.Request.Method }
func (q request) Path() string             { return q.c.Request.URL.Path }

// HeaderValues looks for Host where net/http puts it.
func (q request) HeaderValues(name string) []string {
	if http.CanonicalHeaderKey(name) == "Host" && q.c.Request.Host != "" {
		return []string{q.c.Request.Host}
	}
	return q.c.Request.Header.Values(name)
}

// Route is known to every middleware of Gin, as it matches first.
func (q request) Route() string {
	if route := q.c.FullPath(); route != "" {
		return route
	}
	return keyfuncs.Unmatched
}

func (q request) Value(key any) any {
	if v, ok := q.c.Get(key); ok {
		return v
	}
	return q.c.Request.Context().Value(key)
}
