package keyfuncs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// UserID keys by the identity that authentication stored for this request
// under key: with gin's c.Set, echo's c.Set, fiber's c.Locals or
// context.WithValue. Mount the limiter behind authentication; nothing a client
// sends is read here.
//
// The value may be a string, a []byte, any integer, a type based on a string
// or an integer, or a fmt.Stringer. Nothing stored, nil, the zero value of any
// type (0, a nil pointer, an all-zero UUID) and blank text are nobody:
// ErrNoKey, never a key that strangers would share. A value of another type,
// or one whose String panics, is another error, which FirstOf does not pass
// over: the program stores something that is no identity.
//
// Names that users choose may look like addresses. Where both are counted by
// one policy, keep them apart:
//
//	keyfuncs.FirstOf(
//		keyfuncs.Join(keyfuncs.Fixed("user"), keyfuncs.UserID("uid")),
//		keyfuncs.IP)
//
// UserID panics if key is nil or cannot be compared.
func UserID(key any) Func {
	if key == nil || !reflect.ValueOf(key).Comparable() {
		refuse("UserID", "key", fmt.Sprintf("%T", key), "give the key under which authentication stores the identity")
	}
	missing := fmt.Errorf("%w: no identity stored under %s (mount authentication before the limiter)", ErrNoKey, describe(key))
	return func(r Request) (string, error) {
		id, err := identity(r.Value(key))
		if err != nil {
			return "", err
		}
		if strings.TrimSpace(id) == "" {
			return "", missing
		}
		return strings.Clone(id), nil
	}
}

// describe names a key for a log line: strings as they are, other keys by
// their type, which is what their package made them for.
func describe(key any) string {
	if s, ok := key.(string); ok {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("a %T", key)
}

// identity writes v as text, "" for nobody.
func identity(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	}
	rv := reflect.ValueOf(v)
	if rv.IsZero() {
		return "", nil
	}
	if s, ok := v.(fmt.Stringer); ok {
		return callString(s)
	}
	switch {
	case rv.Kind() == reflect.String:
		return rv.String(), nil
	case rv.CanInt():
		return strconv.FormatInt(rv.Int(), 10), nil
	case rv.CanUint():
		return strconv.FormatUint(rv.Uint(), 10), nil
	}
	return "", fmt.Errorf("keyfuncs: UserID: a value of type %T is no identity; store a string, an integer or a fmt.Stringer", v)
}

// errStringPanicked says nothing of the panic's value, which may hold the
// identity.
var errStringPanicked = errors.New("keyfuncs: UserID: the String method of the stored value panicked")

// callString keeps a String method that trips over a half-filled value from
// taking down frameworks that do not recover.
func callString(s fmt.Stringer) (text string, err error) {
	defer func() {
		if recover() != nil {
			text, err = "", errStringPanicked
		}
	}()
	return s.String(), nil
}

// Header keys by the SHA-256 of a header's value, in hex, so that neither
// Redis nor a log ever holds the API key itself. An operator finds the key of
// one client with
//
//	printf %s "$API_KEY" | sha256sum
//
// The hash does not hide values that can be guessed; core.HashKeys does.
//
// Whoever sends requests chooses headers: mount it behind the check of the
// credential, or limit by address as well. Absent and blank are ErrNoKey.
// Several lines with content are ErrAmbiguous: the program may authenticate by
// one while another is counted. Not for Authorization or Cookie, where one
// credential has many spellings; use UserID. Header panics if name cannot be
// the name of a header.
func Header(name string) Func {
	mustHeaderName("Header", name)
	missing := fmt.Errorf("%w: header %s absent or blank", ErrNoKey, name)
	several := fmt.Errorf("%w: several lines of header %s", ErrAmbiguous, name)
	return func(r Request) (string, error) {
		value := ""
		for _, line := range r.HeaderValues(name) {
			line = trimBlank(line)
			switch {
			case line == "":
			case value == "":
				value = line
			default:
				return "", several
			}
		}
		if value == "" {
			return "", missing
		}
		return digest(value), nil
	}
}

func digest(value string) string {
	var text [2 * sha256.Size]byte
	sum := sha256.Sum256([]byte(value))
	hex.Encode(text[:], sum[:])
	return string(text[:])
}

// Fixed gives every request the same key: one allowance for all, as for a
// route that is dear to serve. It also labels a part of Join. It panics if key
// is empty.
func Fixed(key string) Func {
	if key == "" {
		refuse("Fixed", "key", `""`, "give the key that all requests share")
	}
	return func(Request) (string, error) { return key, nil }
}
