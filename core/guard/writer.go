package guard

import "strconv"

// maxInteger is the largest integer of a structured field (RFC 9651, 3.3.1).
const maxInteger = 999_999_999_999_999

// maxLines is the most that one response can have: four of Draft06, three of
// Legacy, Retry-After and Cache-Control.
const maxLines = 9

// line is one header field of a response.
type line struct {
	dialect Dialect // None for fields that belong to no dialect
	field   field
	start   uint32 // of its value in the text of all; it ends where the next starts
}

// message is the header fields of one response. It is small, since it is
// copied a few times for each request.
type message struct {
	text  string
	lines [maxLines]line
	n     int
}

// value returns the value of line i.
func (m *message) value(i int) string {
	if i+1 < m.n {
		return m.text[m.lines[i].start:m.lines[i+1].start]
	}
	return m.text[m.lines[i].start:]
}

// writer is the one place where header values are written: structured fields
// of RFC 9651 in canonical form. It keeps all values in one buffer, so that a
// request costs one allocation for its fields.
//
// It is smaller than what any library offers because the values are: names
// that core.Policy has checked, and integers. The tests read what it writes
// with a library of their own.
type writer struct {
	text  []byte
	lines [maxLines]line
	n     int
}

// inline is room for the text of one request, so that only the values are put
// on the heap: enough for two policies in both default dialects.
type inline [192]byte

// begin starts the value of a field.
func (w *writer) begin(d Dialect, f field) {
	w.lines[w.n] = line{d, f, uint32(len(w.text))}
	w.n++
}

// member starts a member of a list.
func (w *writer) member() {
	if len(w.text) > int(w.lines[w.n-1].start) {
		w.text = append(w.text, ", "...)
	}
}

// string writes an sf-string. Policy names need no escape; those of decisions
// that core did not make may, and what no string can hold becomes '?'.
func (w *writer) string(s string) {
	w.text = append(w.text, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c > '~':
			w.text = append(w.text, '?')
		case c == '"' || c == '\\':
			w.text = append(w.text, '\\', c)
		default:
			w.text = append(w.text, c)
		}
	}
	w.text = append(w.text, '"')
}

// parameter writes a label and an integer that is not negative.
func (w *writer) parameter(label string, n int64) {
	w.text = append(w.text, label...)
	w.text = strconv.AppendInt(w.text, min(max(0, n), maxInteger), 10)
}

// integer writes a whole field that is one integer.
func (w *writer) integer(d Dialect, f field, n int64) {
	w.begin(d, f)
	w.parameter("", n)
}

// verbatim writes a whole field of fixed text.
func (w *writer) verbatim(f field, value string) {
	w.begin(None, f)
	w.text = append(w.text, value...)
}

// message returns what was written.
func (w *writer) message() message { return message{string(w.text), w.lines, w.n} }
