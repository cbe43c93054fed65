package keyfuncs

import (
	"fmt"
	"slices"
	"strings"
)

// Unmatched is what Request.Route returns, and so the key that Route yields,
// for every request that the router ran for and found no route: one allowance
// for all of them, so that scanning random paths mints no keys.
const Unmatched = "unmatched"

var errNoRoute = fmt.Errorf("%w: no route known where the limiter is mounted; mount it per route, see package keyfuncs", ErrNoKey)

// Route keys by the pattern the router matched, such as /users/{id}: all
// spellings of a path that reach one handler share one key, and a client
// cannot mint new ones. Requests without a route share Unmatched. Where the
// router has not run before the limiter it is ErrNoKey; the package comment
// has a table of such mount points.
func Route(r Request) (string, error) {
	route := r.Route()
	if route == "" {
		return "", errNoRoute
	}
	return strings.Clone(route), nil
}

// Path keys by the request's exact path. Whoever sends requests chooses paths
// and their spelling, so on routes with parameters, or on routers that let
// /Login and /login/ reach one handler, a client can mint a fresh allowance
// for every call; use Route there. Path suits a handful of fixed endpoints on
// a strict router. An empty path is "/". The error is always nil.
func Path(r Request) (string, error) {
	path := r.Path()
	if path == "" {
		return "/", nil
	}
	return strings.Clone(path), nil
}

// otherMethod is the key of every method not in methods.
const otherMethod = "other"

var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE"}

var errNoMethod = fmt.Errorf("%w: request without a method", ErrNoKey)

// Method keys by the request's method, mostly as a part of Join. Methods
// outside RFC 9110 and PATCH share the key "other", because a client may
// invent as many as it likes. GET and HEAD are two keys. No method at all is
// ErrNoKey.
func Method(r Request) (string, error) {
	method := r.Method()
	if method == "" {
		return "", errNoMethod
	}
	if i := slices.Index(methods, method); i >= 0 {
		return methods[i], nil
	}
	return otherMethod, nil
}
