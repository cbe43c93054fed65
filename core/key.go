package core

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// maxIdentity is how long an encoded identity may be before it is hashed.
const maxIdentity = 64

// keyspace turns a caller's key into Redis keys:
//
//	<prefix>:{<identity>}:<policy>.<algorithm and state version>
//
// The braces make the identity the hash tag, so that all policies of one
// identity share a slot; they never occur inside it, so that text from outside
// does not choose a slot. No two keys share an identity: readable ones hold no
// '#' or '~', and the others are whole SHA-256 sums.
type keyspace struct {
	prefix string
	secret []byte
}

// redisKey returns the Redis key of key under a policy's suffix.
func (k keyspace) redisKey(key, suffix string) string {
	return k.prefix + ":{" + k.identity(key) + "}:" + suffix
}

func (k keyspace) identity(key string) string {
	if k.secret != nil {
		sum := hmac.New(sha256.New, k.secret)
		sum.Write([]byte(key))
		return "~" + base64.RawURLEncoding.EncodeToString(sum.Sum(nil))
	}
	if encoded, ok := readable(key); ok {
		return encoded
	}
	sum := sha256.Sum256([]byte(key))
	return "#" + base64.RawURLEncoding.EncodeToString(sum[:])
}

// readable percent-encodes key; false where that would be over maxIdentity.
func readable(key string) (string, bool) {
	odd := 0
	for i := 0; i < len(key) && i <= maxIdentity; i++ {
		if !isIdentityByte(key[i]) {
			odd++
		}
	}
	if len(key)+2*odd > maxIdentity {
		return "", false
	}
	if odd == 0 {
		return key, true
	}
	var encoded strings.Builder
	encoded.Grow(len(key) + 2*odd)
	for i := range len(key) {
		if c := key[i]; isIdentityByte(c) {
			encoded.WriteByte(c)
		} else {
			encoded.WriteByte('%')
			encoded.WriteByte(hexDigits[c>>4])
			encoded.WriteByte(hexDigits[c&15])
		}
	}
	return encoded.String(), true
}

const hexDigits = "0123456789ABCDEF"

func isIdentityByte(c byte) bool {
	return isAlphanumeric(c) || strings.IndexByte("._:@/-", c) >= 0
}
