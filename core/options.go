package core

import (
	"strings"
	"time"
)

// Defaults of the options.
const (
	defaultTimeout = 100 * time.Millisecond
	defaultPrefix  = "rate_limit"
)

// Option changes a Limiter that New makes. An option that cannot be used makes
// New return an *ArgumentError.
type Option func(*Limiter) error

// Timeout sets how long one decision may take, from the call to the answer,
// whatever the client's own timeouts: 1 ms to 1 minute. The default is 100 ms.
func Timeout(d time.Duration) Option {
	return func(l *Limiter) error {
		if d < time.Millisecond || d > time.Minute {
			return &ArgumentError{"Timeout", d, "1ms to 1m"}
		}
		l.timeout = d
		return nil
	}
}

// Prefix sets the beginning of every Redis key: 1 to 64 characters of A-Z,
// a-z, 0-9 and ._:@/-. The default is rate_limit. Limiters of one Redis that
// must not share counts need prefixes that differ.
func Prefix(s string) Option {
	return func(l *Limiter) error {
		odd := strings.ContainsFunc(s, func(r rune) bool { return r > 127 || !isIdentityByte(byte(r)) })
		if len(s) < 1 || len(s) > 64 || odd {
			return &ArgumentError{"Prefix", s, "1 to 64 characters of A-Z, a-z, 0-9 and _.:@/-"}
		}
		l.keys.prefix = s
		return nil
	}
}

// Unbatched sends each decision in a call of its own. Without it concurrent
// decisions of one Limiter share calls (see New), which a busy one should: alone
// they cost Redis four times as much. It is for tracing each decision as a
// command, with its caller's context, and for telling the outcomes of lost
// answers one by one.
func Unbatched() Option {
	return func(l *Limiter) error {
		l.combiner.off = true
		return nil
	}
}

// HashKeys hides identities: Redis keys hold an HMAC-SHA-256 of the caller's
// key under secret in place of the key. All processes that share limits need
// one secret, of 16 bytes or more; another secret is another set of counts.
func HashKeys(secret []byte) Option {
	secret = append([]byte(nil), secret...)
	return func(l *Limiter) error {
		if len(secret) < 16 {
			return &ArgumentError{"HashKeys: length of secret", len(secret), "16 bytes or more"}
		}
		l.keys.secret = secret
		return nil
	}
}

// Clock has decisions made at the instants that now returns, in place of
// Redis's own time: for tests that do not wait, and for simulation. In service
// leave it out, so that all processes share one clock. Keys still expire by
// Redis's time, and never before their state has lost its meaning by now, as
// long as now is not behind it.
func Clock(now func() time.Time) Option {
	return func(l *Limiter) error {
		if now == nil {
			return &ArgumentError{"Clock", "nil", "a function that returns the time"}
		}
		l.clock = func() int64 { return now().UnixMicro() }
		return nil
	}
}
