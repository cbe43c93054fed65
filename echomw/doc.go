// Package echomw limits the rate of requests to Echo.
//
//	e.Use(echomw.Limit(rl, core.PerMinute("api", 100), keyfuncs.IP))          // the whole app
//	e.POST("/login", handle, echomw.Limit(rl, login, keyfuncs.IP))            // one route
//
// What clients see, and all options but OnDenied, are in package guard.
//
// keyfuncs.Route knows the pattern in Use and on routes; requests that match
// no route, or a route but not its method, share keyfuncs.Unmatched. Those
// below the prefix of a group that has middleware of its own share the pattern
// that Echo adds for it, such as /api/*. In Pre the router has not run yet and
// Route is ErrNoKey, but Unmatched for requests that have no route at all. Echo's IPExtractor and c.RealIP are not looked at: the
// key function says whom to trust.
package echomw
