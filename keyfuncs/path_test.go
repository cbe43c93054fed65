package keyfuncs_test

import (
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

func TestRoute(t *testing.T) {
	for _, route := range []string{"/users/{id}", "GET /users/{id}", keyfuncs.Unmatched} {
		if got := mustKey(t, keyfuncs.Route, request{route: route, path: "/users/7"}); got != route {
			t.Errorf("got %q, want %q", got, route)
		}
	}
	wantErr(t, keyfuncs.Route, request{path: "/users/7"}, keyfuncs.ErrNoKey)
}

func TestPath(t *testing.T) {
	for path, want := range map[string]string{"/users/7": "/users/7", "/Users/7/": "/Users/7/", "*": "*", "": "/"} {
		if got := mustKey(t, keyfuncs.Path, request{path: path, route: "/users/{id}"}); got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}

func TestMethod(t *testing.T) {
	for method, want := range map[string]string{"GET": "GET", "PATCH": "PATCH", "get": "other", "PROPFIND": "other", "M1": "other"} {
		if got := mustKey(t, keyfuncs.Method, request{method: method}); got != want {
			t.Errorf("%q: got %q, want %q", method, got, want)
		}
	}
	wantErr(t, keyfuncs.Method, request{}, keyfuncs.ErrNoKey)
}
