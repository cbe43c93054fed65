// Package fibermw limits the rate of requests to Fiber.
//
//	app.Use(fibermw.Limit(rl, core.PerMinute("api", 100), keyfuncs.IP))       // the whole app
//	app.Post("/login", fibermw.Limit(rl, login, keyfuncs.IP), handle)         // one route
//
// What clients see, and all options but OnDenied, are in package guard.
//
// keyfuncs.Route knows the pattern on routes only. In Use, and in the handlers
// of a Group, Fiber has not looked for the route yet and Route is ErrNoKey.
// Fiber's trusted proxies and c.IP are not looked at: the key function says
// whom to trust.
//
// Fiber uses the memory of a request again when its handler returns. All
// strings that key functions get here are copies, and so is every key.
package fibermw
