package keyfuncs

import "strings"

// maxForwardedLine bounds the work one line of Forwarded can ask for. Unlike
// X-Forwarded-For a line has to be read from its start, as only that tells
// which commas are inside quotes.
const maxForwardedLine = 8 << 10

// forwardedNodes keeps the newest nodes ("for" values) of one line of
// Forwarded:
//
//	for=198.51.100.1;proto=https, for="[2001:db8::1]:4711"
//
// It is a ring: the walk never needs more than maxHops of them, and one that
// is asked for beyond that is refused unread. An element without one readable
// "for" keeps its place as the empty node, which is no address.
type forwardedNodes struct {
	ring  [maxHops]string
	count int
}

// newestFirst yields the nodes from the right, as many as the line had.
func (n *forwardedNodes) newestFirst(yield func(string) bool) {
	for i := n.count - 1; i >= 0; i-- {
		if !yield(n.ring[i%maxHops]) {
			return
		}
	}
}

// read parses a line. It reports false if any part of it is not RFC 7239
// syntax: then no part of it can be told from what a client wrote.
func (n *forwardedNodes) read(line string) bool {
	if len(line) > maxForwardedLine {
		return false
	}
	for {
		line = strings.TrimLeft(line, ", \t")
		if line == "" {
			return true
		}
		node, rest, ok := forwardedElement(line)
		if !ok {
			return false
		}
		n.ring[n.count%maxHops] = node
		n.count++
		line = rest
	}
}

// forwardedElement parses pairs up to the next comma or the end. Blanks around
// semicolons are not in RFC 7239 but are often sent, and mean nothing else.
func forwardedElement(s string) (node, rest string, ok bool) {
	nodes := 0
	for s != "" && s[0] != ',' {
		var name, value string
		if name, value, s, ok = forwardedPair(s); !ok {
			return "", "", false
		}
		if strings.EqualFold(name, "for") {
			node = forwardedNode(value)
			nodes++
		}
	}
	if nodes != 1 {
		node = ""
	}
	return node, s, true
}

// forwardedPair parses an optional name=value and the semicolon or the end of
// the element after it. The value of a quoted string is still escaped.
func forwardedPair(s string) (name, value, rest string, ok bool) {
	if s[0] != ';' {
		if name, s = cutToken(s); name == "" || s == "" || s[0] != '=' {
			return "", "", "", false
		}
		if value, s, ok = cutValue(s[1:]); !ok {
			return "", "", "", false
		}
		s = strings.TrimLeft(s, " \t")
	}
	if after, more := strings.CutPrefix(s, ";"); more {
		return name, value, strings.TrimLeft(after, " \t"), true
	}
	return name, value, s, s == "" || s[0] == ','
}

// cutToken splits s behind its leading token, which may be empty.
func cutToken(s string) (token, rest string) {
	rest = strings.TrimLeftFunc(s, isTokenRune)
	return s[:len(s)-len(rest)], rest
}

// cutValue splits s behind its leading token or quoted string.
func cutValue(s string) (value, rest string, ok bool) {
	if strings.HasPrefix(s, `"`) {
		return cutQuoted(s[1:])
	}
	value, rest = cutToken(s)
	return value, rest, value != ""
}

// cutQuoted splits s, which starts inside a quoted string, behind its end.
func cutQuoted(s string) (value, rest string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return s[:i], s[i+1:], true
		case c == '\\':
			i++
			if i == len(s) || isControl(s[i]) {
				return "", "", false
			}
		case isControl(c):
			return "", "", false
		}
	}
	return "", "", false
}

// isControl reports whether c may not stand in a quoted string, escaped or not.
func isControl(c byte) bool { return c < ' ' && c != '\t' || c == 0x7f }

// forwardedNode undoes the escapes of a value. An IPv6 address without
// brackets becomes the empty node: its last group could be meant as a port.
func forwardedNode(value string) string {
	if strings.IndexByte(value, '\\') >= 0 {
		value = unescape(value)
	}
	if strings.Count(value, ":") > 1 && value[0] != '[' {
		return ""
	}
	return value
}

// unescape drops the backslash of each quoted pair.
func unescape(s string) string {
	plain := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		}
		plain = append(plain, s[i])
	}
	return string(plain)
}
