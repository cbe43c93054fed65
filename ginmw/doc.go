// Package ginmw limits the rate of requests to Gin.
//
//	r.Use(ginmw.Limit(rl, core.PerMinute("api", 100), keyfuncs.IP))           // the whole app
//	r.POST("/login", ginmw.Limit(rl, login, keyfuncs.IP), handle)             // one route
//
// What clients see, and all options but OnDenied, are in package guard.
//
// Gin matches the route first, so keyfuncs.Route knows it wherever the limiter
// is mounted; requests that match none share keyfuncs.Unmatched. Redirects
// that Gin makes by itself, as for a trailing slash, run no middleware and are
// not counted. Trusted proxies of Gin and c.ClientIP are not looked at: the
// key function says whom to trust.
package ginmw
