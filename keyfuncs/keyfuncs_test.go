package keyfuncs_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

// request is a request written down: what adapters supply, without a server.
type request struct {
	peer    string
	headers [][2]string
	method  string
	path    string
	route   string
	values  map[any]any
}

func (r request) Context() context.Context { return context.Background() }
func (r request) RemoteAddr() string       { return r.peer }
func (r request) Method() string           { return r.method }
func (r request) Path() string             { return r.path }
func (r request) Route() string            { return r.route }
func (r request) Value(key any) any        { return r.values[key] }

func (r request) HeaderValues(name string) (lines []string) {
	for _, h := range r.headers {
		if strings.EqualFold(h[0], name) {
			lines = append(lines, h[1])
		}
	}
	return lines
}

// from makes a request of a peer and one line of one header for each value.
func from(peer, header string, values ...string) request {
	r := request{peer: peer}
	for _, value := range values {
		r.headers = append(r.headers, [2]string{header, value})
	}
	return r
}

// prefixes parses networks.
func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, 0, len(texts))
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

// trusted are the networks of the vectors.
var trusted = prefixes("10.0.0.0/8", "192.0.2.0/24", "2001:db8:ffff::/48")

// mustKey is f's key for r; an error fails the test.
func mustKey(t testing.TB, f keyfuncs.Func, r keyfuncs.Request) string {
	t.Helper()
	key, err := f(r)
	if err != nil {
		t.Fatalf("error %v for %+v", err, r)
	}
	return key
}

// wantErr fails unless f answers r with target, no key, and a text of ours.
func wantErr(t testing.TB, f keyfuncs.Func, r keyfuncs.Request, target error) {
	t.Helper()
	key, err := f(r)
	if !errors.Is(err, target) || key != "" {
		t.Fatalf("got %q, %v; want no key and %v", key, err, target)
	}
	if !strings.HasPrefix(err.Error(), "keyfuncs: ") {
		t.Fatalf("error %q does not name its package", err)
	}
}

// wantPanic fails unless mount panics with a text that starts with prefix.
func wantPanic(t *testing.T, prefix string, mount func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if text, _ := recover().(string); !strings.HasPrefix(text, prefix) {
			t.Errorf("panic %q, want one that starts with %q", text, prefix)
		}
	}()
	mount()
}
