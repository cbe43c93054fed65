package keyfuncs

import (
	"strconv"
	"strings"
)

// refuse stops the program while it is being put together: a mistake found
// then cannot surprise anyone while requests are served.
func refuse(function, field, value, advice string) {
	panic("keyfuncs: " + function + ": " + field + ": " + value + ": " + advice)
}

// mustHeaderName panics unless name can be the name of a header field.
func mustHeaderName(function, name string) {
	if name == "" || strings.TrimLeftFunc(name, isTokenRune) != "" {
		refuse(function, "name", strconv.Quote(name), "is not a header name; give one such as X-Api-Key")
	}
}

// mustFuncs panics unless there is at least one function and none is nil.
func mustFuncs(function string, fs []Func) {
	if len(fs) == 0 {
		refuse(function, "functions", "none", "give at least one key function")
	}
	for i, f := range fs {
		if f == nil {
			refuse(function, "function "+strconv.Itoa(i+1), "nil", "give a key function")
		}
	}
}

// isTokenRune reports whether r may stand in a token of RFC 9110.
func isTokenRune(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return true
	}
	return r < 0x80 && strings.IndexByte("!#$%&'*+-.^_`|~", byte(r)) >= 0
}

// trimBlank cuts the blanks that HTTP allows around a value, and no others.
func trimBlank(s string) string { return strings.Trim(s, " \t") }
