package nethttp

import (
	"context"
	"net/http"
)

// request shows a key function what it may see of an http.Request.
type request struct{ r *http.Request }

func (v request) Context() context.Context          { return v.r.Context() }
func (v request) RemoteAddr() string                { return v.r.RemoteAddr }
func (v request) HeaderValues(name string) []string { return v.r.Header.Values(name) }
func (v request) Method() string                    { return v.r.Method }
func (v request) Path() string                      { return v.r.URL.Path }
func (v request) Route() string                     { return v.r.Pattern }
func (v request) Value(key any) any                 { return v.r.Context().Value(key) }
