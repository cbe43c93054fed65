package fibermw

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"reflect"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/keyfuncs"
)

const pkg = "fibermw"

// Key makes a key function of one over Fiber's own context, to stand where any
// key function does. What f returns is copied, so it may be a view of the
// request. Whatever it yields is the client's allowance: do not build it from
// headers that a client can choose, nor from c.IP unless Fiber's trusted
// proxies are set. An empty key is an error. Key panics if f is nil.
func Key(f func(*fiber.Ctx) (string, error)) keyfuncs.Func {
	if f == nil {
		panic(pkg + ": Key: function is nil; give a function")
	}
	return func(r keyfuncs.Request) (string, error) {
		own, ok := r.(request)
		if !ok {
			return "", fmt.Errorf("fibermw: Key: mounted in another framework, which made a request of type %T", r)
		}
		key, err := f(own.c)
		return strings.Clone(key), err
	}
}

// OnDenied answers requests that a limit refuses with h, in place of the body
// of package guard. Fields, Retry-After and the status are set already; h
// writes the body, and may set another status. guard.RefusalFrom(c.UserContext())
// says whether it is 429, or 503 since Redis is not there. Refusals for an
// error do not come here: see guard.OnError.
func OnDenied(h fiber.Handler) guard.Option {
	if h == nil {
		panic(pkg + ": OnDenied: handler is nil; give a handler")
	}
	return guard.Adapter(pkg, "OnDenied", h)
}

// request is a Fiber request as key functions see it. Whatever strings it hands
// out are copies, but for what the program itself stored: Fiber's change when
// the handler has returned.
type request struct{ c *fiber.Ctx }

func (q request) Context() context.Context { return q.c.UserContext() }
func (q request) Method() string           { return strings.Clone(q.c.Method()) }
func (q request) Path() string             { return strings.Clone(q.c.Path()) }

// RemoteAddr writes TCP addresses by itself: net does so with more allocations.
func (q request) RemoteAddr() string {
	peer := q.c.Context().RemoteAddr()
	if tcp, ok := peer.(*net.TCPAddr); ok {
		p := tcp.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port()).String()
	}
	return peer.String()
}

// HeaderValues goes through all lines, since apps may have fasthttp keep the
// names as they came.
func (q request) HeaderValues(name string) (values []string) {
	q.c.Request().Header.VisitAll(func(key, value []byte) {
		if equalFold(key, name) {
			values = append(values, string(value))
		}
	})
	return values
}

// equalFold compares names byte by byte. Unicode's folding would take for the
// name of a header what proxies do not.
func equalFold(a []byte, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func (q request) Value(key any) any {
	if v := q.c.Locals(key); v != nil {
		return v
	}
	return q.c.UserContext().Value(key)
}

// useField is where Fiber notes that a "route" is a mere middleware, whose
// path is the prefix of its mount. There is no exported way to ask.
var useField = func() []int {
	field, ok := reflect.TypeFor[fiber.Route]().FieldByName("use")
	if !ok || field.Type.Kind() != reflect.Bool {
		return nil
	}
	return field.Index
}()

// Route is the pattern of the route that the limiter is mounted on. If Fiber
// ever hides from us which mounts are routes, none is known.
func (q request) Route() string {
	route := q.c.Route()
	if useField == nil || reflect.ValueOf(route).Elem().FieldByIndex(useField).Bool() {
		return ""
	}
	return strings.Clone(route.Path)
}
