package echomw

import (
	"context"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/keyfuncs"
)

const pkg = "echomw"

// Key makes a key function of one over Echo's own context, to stand where any
// key function does. Whatever it yields is the client's allowance: do not build
// it from headers that a client can choose, nor from c.RealIP unless an
// IPExtractor is set. An empty key is an error. Key panics if f is nil.
func Key(f func(echo.Context) (string, error)) keyfuncs.Func {
	if f == nil {
		panic(pkg + ": Key: function is nil; give a function")
	}
	return func(r keyfuncs.Request) (string, error) {
		own, ok := r.(request)
		if !ok {
			return "", fmt.Errorf("echomw: Key: mounted in another framework, which made a request of type %T", r)
		}
		return f(own.c)
	}
}

// OnDenied answers requests that a limit refuses with h, in place of the body
// of package guard. Fields and Retry-After are set already; h writes the
// status and the body, or returns an error for Echo's error handler.
// guard.RefusalFrom(c.Request().Context()) says whether the status would have
// been 429, or 503 since Redis is not there. Refusals for an error do not come
// here: see guard.OnError.
func OnDenied(h echo.HandlerFunc) guard.Option {
	if h == nil {
		panic(pkg + ": OnDenied: handler is nil; give a handler")
	}
	return guard.Adapter(pkg, "OnDenied", h)
}

// request is an Echo request as key functions see it.
type request struct{ c echo.Context }

func (q request) Context() context.Context { return q.c.Request().Context() }
func (q request) RemoteAddr() string       { return q.c.Request().RemoteAddr }
func (q request) Method() string           { return q.c.Request().Method }
func (q request) Path() string             { return q.c.Request().URL.Path }

// HeaderValues looks for Host where net/http puts it.
func (q request) HeaderValues(name string) []string {
	r := q.c.Request()
	if http.CanonicalHeaderKey(name) == "Host" && r.Host != "" {
		return []string{r.Host}
	}
	return r.Header.Values(name)
}

// Value looks in Echo's store, whose keys are strings, then in the context.
func (q request) Value(key any) any {
	if name, ok := key.(string); ok {
		if v := q.c.Get(name); v != nil {
			return v
		}
	}
	return q.c.Request().Context().Value(key)
}

// Route is the pattern that Echo matched together with the method.
func (q request) Route() string {
	switch path := q.c.Path(); {
	case path == "" && q.unrouted():
		return ""
	case path == "", q.c.Get(echo.ContextKeyHeaderAllow) != nil:
		return keyfuncs.Unmatched
	default:
		return path
	}
}

// unrouted reports whether Echo's router has a route for this request that it
// has not set yet. A request without a path looks alike before the router ran
// and after it found nothing, so the router is asked again.
func (q request) unrouted() bool {
	e, r := q.c.Echo(), q.c.Request()
	probe := e.AcquireContext()
	defer e.ReleaseContext(probe)
	probe.Reset(r, nil)
	router, ok := e.Routers()[r.Host]
	if !ok {
		router = e.Router()
	}
	router.Find(r.Method, echo.GetPath(r), probe)
	return probe.Path() != ""
}
