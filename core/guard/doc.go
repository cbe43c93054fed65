// Package guard is what a decision of package core means over HTTP, the same
// for every web framework: which requests are refused and with what status,
// header fields and body. Adapters translate requests and responses and decide
// nothing; programs use this package for the options of an adapter's Limit.
//
//	ginmw.Limit(rl, core.PerSecond("burst", 10), keyfuncs.IP,
//		guard.And(core.PerDay("daily", 1000), keyfuncs.UserID("uid")),
//		guard.Headers(guard.Draft11))
//
// # What the client sees
//
//	allowed          whatever the handler answers, with the fields of Headers
//	denied           429, Retry-After unless no wait can help, the fields
//	no Redis, Open   the handler's answer, without fields: nobody knows the numbers
//	no Redis, Closed 503 with Retry-After
//	no key           500, for it is a mistake of the deployment; see OnError
//
// The last three are written to slog's default log, at most one line a minute
// for each Limit.
//
// Bodies are application/problem+json where the client accepts it, else one
// line of text, and none of them is cached. Nothing the client sent, no key and
// no address of a server appears in a header or body.
//
// A client that disconnects does not stop its request from being counted: else
// it could have work done for nothing by hanging up early.
//
// Field names are those of RFC and draft; servers write them in a case of their
// own, which HTTP ignores. For scripts of other origins to read the fields, list
// them in Access-Control-Expose-Headers.
package guard
