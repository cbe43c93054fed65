// Package nethttp limits the rate of requests to net/http handlers, and so to
// chi and to every router that takes func(http.Handler) http.Handler.
//
//	limit := nethttp.Limit(rl, core.PerMinute("api", 100), keyfuncs.IP)
//	http.ListenAndServe(addr, limit(mux))                                 // the whole app
//	mux.Handle("POST /login", nethttp.Limit(rl, login, keyfuncs.IP)(h))   // one route
//	r.Use(limit)                                                          // chi
//
// What clients see, and all options but OnDenied, are in package guard.
//
// keyfuncs.Route knows the pattern behind the router only: around one handler
// of a ServeMux, or in chi's With. Around a whole mux, and in the Use of a chi
// router, the router has not run yet and Route is ErrNoKey. Around a mux that
// is itself mounted under a pattern of another, and in the Use of a chi
// subrouter, Route is the pattern it is mounted under, such as /api/*, shared
// by all requests below it.
//
// keyfuncs.IP keys by the request's RemoteAddr, which is the socket's peer
// unless a middleware before the limiter overwrites it. Some do so with what
// the client sent; mount the limiter before them.
package nethttp
