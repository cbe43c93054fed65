package core

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRedisKeys(t *testing.T) {
	plain := keyspace{prefix: "rate_limit"}
	for key, want := range map[string]string{
		"203.0.113.7":           "rate_limit:{203.0.113.7}:api.gc1",
		"2001:db8:1:2::/64":     "rate_limit:{2001:db8:1:2::/64}:api.gc1",
		"anna@example.org":      "rate_limit:{anna@example.org}:api.gc1",
		"u{x}1":                 "rate_limit:{u%7Bx%7D1}:api.gc1",
		"a\x00b":                "rate_limit:{a%00b}:api.gc1",
		"100%":                  "rate_limit:{100%25}:api.gc1",
		"#~_":                   "rate_limit:{%23%7E_}:api.gc1",
		strings.Repeat("a", 64): "rate_limit:{" + strings.Repeat("a", 64) + "}:api.gc1",
	} {
		if got := plain.redisKey(key, "api.gc1"); got != want {
			t.Errorf("%q: %q; want %q", key, got, want)
		}
	}
}

// Keys of any bytes and length are distinct where the callers' are, bounded,
// and hold one hash tag of ours, whatever the caller wrote.
func TestKeysStayDistinct(t *testing.T) {
	spaces := []keyspace{{prefix: "rate_limit"}, {prefix: "p", secret: []byte("0123456789abcdef")}}
	text := rapid.OneOf(
		rapid.SliceOf(rapid.Byte()).AsAny(),
		rapid.SliceOfN(rapid.SampledFrom([]byte("ab{}:%#~\x00\xff|/")), 0, 90).AsAny(),
		rapid.SliceOfN(rapid.Byte(), 60, 70).AsAny(),
	)
	rapid.Check(t, func(rt *rapid.T) {
		a, b := string(text.Draw(rt, "a").([]byte)), string(text.Draw(rt, "b").([]byte))
		for _, k := range spaces {
			x, y := k.redisKey(a, "p.gc1"), k.redisKey(b, "p.gc1")
			if (a == b) != (x == y) {
				rt.Fatalf("%q and %q: %q and %q", a, b, x, y)
			}
			if len(x) > 96 || strings.Count(x, "{") != 1 || strings.Count(x, "}") != 1 {
				rt.Fatalf("%q: %q; want at most 96 bytes and one hash tag", a, x)
			}
		}
	})
}

func TestAMebibyteIsABoundedKey(t *testing.T) {
	k := keyspace{prefix: "rate_limit"}
	long := strings.Repeat("x", 1<<20)
	a, b := k.redisKey(long+"a", "p.gc1"), k.redisKey(long+"b", "p.gc1")
	if a == b || len(a) > 96 {
		t.Errorf("%q and %q; want two keys of at most 96 bytes", a, b)
	}
}

func TestHashedKeysHoldNothingReadable(t *testing.T) {
	one := keyspace{prefix: "p", secret: []byte("0123456789abcdef")}
	other := keyspace{prefix: "p", secret: []byte("0123456789abcdeF")}
	a := one.redisKey("anna@example.org", "p.gc1")
	if strings.Contains(a, "anna") || a != one.redisKey("anna@example.org", "p.gc1") || a == other.redisKey("anna@example.org", "p.gc1") {
		t.Errorf("%q; want the secret's own hash, always the same", a)
	}
}
