package keyfuncs

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Join keys by several things at once: Join(IP, Route) gives each address an
// allowance for each route. Each part is written behind its length, as in
// 11:203.0.113.76:/login, so different parts never join to one key, whatever
// bytes they hold. The first error of a part is Join's error. Join panics if
// it is given no function or a nil one.
func Join(fs ...Func) Func {
	mustFuncs("Join", fs)
	fs = slices.Clone(fs)
	return func(r Request) (string, error) {
		buf := make([]byte, 0, 96)
		for _, f := range fs {
			part, err := f(r)
			if err != nil {
				return "", err
			}
			buf = strconv.AppendInt(buf, int64(len(part)), 10)
			buf = append(buf, ':')
			buf = append(buf, part...)
		}
		return string(buf), nil
	}
}

// errEmptyKey stands for a function that yields "" without an error: a shared
// key by accident, so no key.
var errEmptyKey = fmt.Errorf("%w: a key function yielded an empty key", ErrNoKey)

// FirstOf keys by the first function that yields a key. FirstOf(UserID("uid"),
// IP) counts signed-in users by identity and others by address. Only ErrNoKey,
// or an empty key, moves on to the next; any other error ends it. If none
// yields a key the error wraps ErrNoKey and names what each one missed.
// FirstOf panics if it is given no function or a nil one.
func FirstOf(fs ...Func) Func {
	mustFuncs("FirstOf", fs)
	fs = slices.Clone(fs)
	return func(r Request) (string, error) {
		missed := make([]error, 0, 4)
		for _, f := range fs {
			key, err := f(r)
			switch {
			case err == nil && key != "":
				return key, nil
			case err == nil:
				err = errEmptyKey
			case !errors.Is(err, ErrNoKey):
				return "", err
			}
			missed = append(missed, err)
		}
		return "", allMissed(missed)
	}
}

// allMissed makes one line of what each function missed.
func allMissed(missed []error) error {
	all := missed[0]
	for _, err := range missed[1:] {
		all = fmt.Errorf("%w; %w", all, err)
	}
	return all
}
