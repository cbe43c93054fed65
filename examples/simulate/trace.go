package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A trace is recorded traffic: one request per line, "timestamp key".
type trace struct {
	first    time.Time // of the first request
	arrivals []arrival
	keys     []string // by the number that arrivals carry
}

// A traceError names the place in a file: line and column count from 1, columns
// in characters.
type traceError struct {
	file         string
	line, column int
	why          string
}

func (e *traceError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.file, e.line, e.column, e.why)
}

const (
	maxLine = 64 << 10
	maxSpan = 100 * 365 * 24 * time.Hour // scripts count time exactly until the year 2255
)

// readTrace reads "timestamp key" lines. Timestamps are RFC 3339 or seconds since
// 1970, either with a fraction, to the microsecond, and never go back. Blank lines
// and those that begin with # are skipped.
func readTrace(name string, r io.Reader) (*trace, error) {
	t := &traceReader{file: name, numbers: map[string]int{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		t.line++
		if err := t.read(lines.Text()); err != nil {
			return nil, err
		}
	}
	switch err := lines.Err(); {
	case err == bufio.ErrTooLong:
		t.line++
		return nil, t.fail("", "the line is longer than %d bytes; want \"timestamp key\"", maxLine)
	case err != nil:
		return nil, fmt.Errorf("cannot read %s: %w", name, root(err))
	case len(t.arrivals) == 0:
		t.line++
		return nil, t.fail("", "the trace holds no request; want lines of \"timestamp key\"")
	}
	return &t.trace, nil
}

type traceReader struct {
	trace
	file    string
	line    int
	numbers map[string]int
}

// fail points at the character after before.
func (t *traceReader) fail(before, why string, args ...any) error {
	return &traceError{t.file, t.line, utf8.RuneCountInString(before) + 1, fmt.Sprintf(why, args...)}
}

func (t *traceReader) read(line string) error {
	text := strings.TrimSpace(line)
	if text == "" || text[0] == '#' {
		return nil
	}
	start := strings.Index(line, text)
	stamp, rest := cutSpace(text)
	at, why := parseTime(stamp)
	if why != "" {
		return t.fail(line[:start], "timestamp %q %s", stamp, why)
	}
	keyAt := start + len(text) - len(rest)
	key, extra := cutSpace(rest)
	switch {
	case key == "":
		return t.fail(line[:start+len(stamp)], "no key follows the timestamp; want \"timestamp key\"")
	case extra != "":
		return t.fail(line[:start+len(text)-len(extra)], "%q follows the key; want \"timestamp key\" and no more", extra)
	}
	if i := strings.IndexFunc(key, unprintable); i >= 0 {
		return t.fail(line[:keyAt+i], "the key holds a character that cannot be printed")
	}
	if why := t.add(at, key); why != "" {
		return t.fail(line[:start], "timestamp %q %s", stamp, why)
	}
	return nil
}

// cutSpace splits text after its first field.
func cutSpace(text string) (field, rest string) {
	i := strings.IndexFunc(text, unicode.IsSpace)
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}

func unprintable(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) }

// add takes a request in, or says what is wrong with its time.
func (t *traceReader) add(at time.Time, key string) string {
	if len(t.arrivals) == 0 {
		t.first = at
	}
	since := at.Sub(t.first)
	if since > maxSpan {
		return "is more than a hundred years after the first"
	}
	if n := len(t.arrivals); n > 0 && since < t.arrivals[n-1].at {
		return "goes back in time; sort the trace"
	}
	number, known := t.numbers[key]
	if !known {
		number = len(t.keys)
		t.numbers[key] = number
		t.keys = append(t.keys, key)
	}
	t.arrivals = append(t.arrivals, arrival{since, number, 1})
	return ""
}

// parseTime reads a timestamp, or says why not.
func parseTime(text string) (at time.Time, why string) {
	if strings.ContainsAny(text, "Tt:") {
		var err error
		if at, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return at, "is not RFC 3339, such as 2026-01-31T12:00:00.25Z"
		}
	} else if at, why = parseUnix(text); why != "" {
		return at, why
	}
	at = at.UTC().Truncate(time.Microsecond)
	if at.Year() < 1970 || at.Year() > 9999 {
		return at, "is not between 1970 and 9999 (Unix times are in seconds)"
	}
	return at, ""
}

// parseUnix reads decimal digits: a float would lose microseconds.
func parseUnix(text string) (at time.Time, why string) {
	seconds, fraction, dotted := strings.Cut(text, ".")
	if !digits(seconds) || dotted && !digits(fraction) {
		return at, "is neither RFC 3339 nor Unix seconds such as 1767225600.25"
	}
	whole, ok := whole(seconds)
	if !ok || whole > 1e12 {
		return at, "is not between 1970 and 9999 (Unix times are in seconds)"
	}
	nanos := int64(0)
	for i := range 9 {
		nanos *= 10
		if i < len(fraction) {
			nanos += int64(fraction[i] - '0')
		}
	}
	return time.Unix(whole, nanos), ""
}

func digits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// job replays t under l. The windows of the clock lie as they did when t was
// recorded. A duration of 0 is all of t.
func (t *trace) job(l lane, name string, duration time.Duration) job {
	list := t.arrivals
	if duration > 0 {
		end, _ := slices.BinarySearchFunc(list, duration, func(a arrival, end time.Duration) int { return cmp.Compare(a.at, end) })
		list = list[:end]
	}
	w := l.Policy.Window
	return job{
		lane: l, scenario: scenario{Name: "trace", Title: "Trace " + name, About: about(list)}, arrivals: list,
		offset:   time.Duration(t.first.UnixMicro()%w.Microseconds()) * time.Microsecond,
		duration: max(list[len(list)-1].at+time.Microsecond, w),
	}
}

func about(list []arrival) string {
	keys := map[int]bool{}
	for _, a := range list {
		keys[a.key] = true
	}
	return fmt.Sprintf("%d requests by %d keys, %v from first to last.", len(list), len(keys), list[len(list)-1].at)
}

// keyName is what the trace calls a client, or the number that made-up traffic gives it.
func (t *trace) keyName(number int) string {
	if t == nil {
		return fmt.Sprintf("client %d", number+1)
	}
	return t.keys[number]
}
