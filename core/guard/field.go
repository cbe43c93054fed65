package guard

// field is a header field that a limiter sets.
type field uint8

const (
	fieldPolicy field = iota
	fieldRateLimit
	fieldLimit
	fieldRemaining
	fieldReset
	legacyLimit
	legacyRemaining
	legacyReset
	fieldRetryAfter
	fieldCacheControl
)

// fieldNames are the names in RFC and draft, and what http.CanonicalHeaderKey
// makes of them, without its allocation.
var fieldNames = [...]struct{ name, canonical string }{
	fieldPolicy:       {"RateLimit-Policy", "Ratelimit-Policy"},
	fieldRateLimit:    {"RateLimit", "Ratelimit"},
	fieldLimit:        {"RateLimit-Limit", "Ratelimit-Limit"},
	fieldRemaining:    {"RateLimit-Remaining", "Ratelimit-Remaining"},
	fieldReset:        {"RateLimit-Reset", "Ratelimit-Reset"},
	legacyLimit:       {"X-RateLimit-Limit", "X-Ratelimit-Limit"},
	legacyRemaining:   {"X-RateLimit-Remaining", "X-Ratelimit-Remaining"},
	legacyReset:       {"X-RateLimit-Reset", "X-Ratelimit-Reset"},
	fieldRetryAfter:   {"Retry-After", "Retry-After"},
	fieldCacheControl: {"Cache-Control", "Cache-Control"},
}

func (f field) name() string      { return fieldNames[f].name }
func (f field) canonical() string { return fieldNames[f].canonical }
