// Package nethttp limits request rates in net/http, and in every router that
// takes func(http.Handler) http.Handler.
package nethttp

import (
	"log"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/keyfuncs"
)

// Limit returns middleware that charges one unit of p to key for each request
// and answers 429 with Retry-After where it does not fit. A nil limiter or key,
// or a policy that cannot be used, panics here, when the middleware is mounted.
//
// While Redis does not decide, p.OnOutage says whether requests are served or
// answered 503; the cause is logged. A request without a key is answered 500:
// what should have named the client is not mounted, or not before this.
func Limit(rl *core.Limiter, p core.Policy, key keyfuncs.Func) func(http.Handler) http.Handler {
	if rl == nil {
		panic("nethttp: Limit: limiter is nil; make one with core.New")
	}
	if key == nil {
		panic("nethttp: Limit: key is nil; give a key function such as keyfuncs.IP")
	}
	if err := p.Validate(); err != nil {
		panic("nethttp: Limit: " + err.Error())
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if admit(w, r, rl, p, key) {
				next.ServeHTTP(w, r)
			}
		})
	}
}

// admit decides a request, and answers it where it may not pass.
func admit(w http.ResponseWriter, r *http.Request, rl *core.Limiter, p core.Policy, key keyfuncs.Func) bool {
	k, err := key(request{r})
	if err != nil {
		log.Print("nethttp: ", err)
		http.Error(w, "the server cannot tell who is asking", http.StatusInternalServerError)
		return false
	}
	d, err := rl.Allow(r.Context(), p, k)
	if err != nil {
		log.Print("nethttp: ", err)
	}
	describe(w.Header(), d)
	switch {
	case d.Allowed:
		return true
	case err != nil:
		http.Error(w, "try again later", http.StatusServiceUnavailable)
	default:
		http.Error(w, "too many requests", http.StatusTooManyRequests)
	}
	return false
}

// describe writes what d means for the client. Without Redis there are no numbers.
func describe(h http.Header, d core.Decision) {
	if d.RetryAfter > 0 && d.RetryAfter != core.Never {
		h.Set("Retry-After", seconds(d.RetryAfter))
	}
	if d.Degraded == 0 {
		h.Set("X-RateLimit-Limit", strconv.FormatInt(d.Policy.Capacity(), 10))
		h.Set("X-RateLimit-Remaining", strconv.FormatInt(d.Remaining, 10))
	}
}

// seconds rounds up: a client that waits that long has waited enough.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64(math.Ceil(d.Seconds())), 10)
}
