package keyfuncs

import (
	"context"
	"errors"
)

// Request is what a key function may see of a request, the same for every web
// framework; each adapter supplies its own. It is valid until the handler
// returns and for one goroutine. Strings it hands out may be views of memory
// that the framework uses again, so a key is always a copy; whoever writes a
// Func of their own copies too (strings.Clone).
type Request interface {
	// Context is the request's own context.
	Context() context.Context
	// RemoteAddr is the socket's peer as host:port, never a forwarded address.
	RemoteAddr() string
	// HeaderValues returns every line of the named header in the order they
	// came, nil where there is none. Case does not matter. The caller does not
	// change the slice.
	HeaderValues(name string) []string
	// Method is the request's method as sent.
	Method() string
	// Path is the path as the framework's router sees it, without the query.
	Path() string
	// Route is the pattern that the router matched, Unmatched where the router
	// ran and matched nothing, and "" where it has not run yet.
	Route() string
	// Value looks in the framework's per-request store, then in the context.
	Value(key any) any
}

// Func names the client, or whatever else shares one allowance. It is called
// by many goroutines at once. It returns an error where it has no key, never
// an empty string, which all such requests would share.
type Func func(Request) (string, error)

// ErrNoKey is wrapped by every error that means "this request lacks what the
// key is made of". Test for it with errors.Is. The text around it names what
// was missing and never holds anything the client sent.
var ErrNoKey = errors.New("keyfuncs: no key")

// ErrAmbiguous is wrapped where a request offers several values for one key.
// It is not an ErrNoKey: FirstOf stops at it, as otherwise a client would send
// its credential twice to be counted as somebody else.
var ErrAmbiguous = errors.New("keyfuncs: ambiguous key")
