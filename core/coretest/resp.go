package coretest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// maxLength is far above what a server sends and low enough to add and double.
const maxLength = 1 << 30

// readValue reads one whole RESP2 or RESP3 value and returns its bytes as they
// came, so that the proxy can pass them on, or part of them, untouched. It knows
// where a value ends and nothing of what it says. A line that is not RESP, as a
// person types into telnet, counts as a value.
func readValue(r *bufio.Reader) ([]byte, error) {
	var raw bytes.Buffer
	// Nesting needs no stack: an aggregate merely adds to what is still to come.
	for due := 1; due > 0; due-- {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		raw.Write(line)
		body, values, err := announcedBy(line)
		if err != nil {
			return nil, err
		}
		if _, err := io.CopyN(&raw, r, body); err != nil {
			return nil, err
		}
		due += values
	}
	return raw.Bytes(), nil
}

// announcedBy returns what a line says will follow it: so many bytes of its own
// body, then so many further values.
func announcedBy(line []byte) (body int64, values int, err error) {
	const crlf = 2
	switch line[0] {
	case '$', '!', '=': // strings: bulk, error, verbatim
		n, err := length(line)
		if n < 0 {
			return 0, 0, err // the null of RESP2
		}
		return int64(n) + crlf, 0, err
	case '*', '~', '>': // arrays, sets, pushes
		n, err := length(line)
		return 0, max(n, 0), err
	case '%': // maps count pairs
		n, err := length(line)
		return 0, 2 * max(n, 0), err
	case '|': // as do attributes, and the value they describe follows them
		n, err := length(line)
		return 0, 2*max(n, 0) + 1, err
	}
	return 0, 0, nil
}

func length(line []byte) (int, error) {
	n, err := strconv.Atoi(string(bytes.TrimRight(line[1:], "\r\n")))
	if err != nil || n < -1 || n > maxLength {
		return 0, fmt.Errorf("coretest: no length in %q", line)
	}
	return n, nil
}

// command returns the first word of a request that readValue returned.
func command(request []byte) []byte {
	if request[0] != '*' {
		word, _, _ := bytes.Cut(request, []byte(" "))
		return bytes.TrimRight(word, "\r\n")
	}
	const first = 2 // after the lines with the number of words and the length of this one
	lines := bytes.SplitN(request, []byte("\r\n"), first+2)
	if len(lines) <= first {
		return nil
	}
	return lines[first]
}
