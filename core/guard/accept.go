package guard

import (
	"strconv"
	"strings"
)

// Media types of the bodies.
const (
	typeProblem = "application/problem+json"
	typeText    = "text/plain; charset=utf-8"
)

// acceptsProblem reports whether a client whose Accept lines these are would
// rather have problem+json than plain text. Plain application/json counts for
// it, as such clients read the one and not the other. Without the header, or
// where neither is accepted, it is problem+json.
func acceptsProblem(accept []string) bool {
	problem, text := preference{}, preference{}
	for _, line := range accept {
		for element := range strings.SplitSeq(line, ",") {
			media, q := parseElement(element)
			problem.heed(media, q, "application/problem+json", "application/json", "application/*", "*/*")
			text.heed(media, q, "text/plain", "text/*", "*/*")
		}
	}
	return problem.q >= text.q
}

// preference is how much a client wants a type. The range that describes the
// type most closely decides, whatever the others say (RFC 9110, 12.5.1).
type preference struct {
	q       int // in thousandths
	rangeNo int // of the range that decided, counted from the end
}

func (p *preference) heed(media string, q int, ranges ...string) {
	for i, r := range ranges {
		if closeness := len(ranges) - i; strings.EqualFold(media, r) && closeness > p.rangeNo {
			p.q, p.rangeNo = q, closeness
		}
	}
}

// parseElement splits an element of Accept into its range and its weight in
// thousandths. A weight that is not one makes the element worthless.
func parseElement(element string) (media string, q int) {
	media, parameters, _ := strings.Cut(element, ";")
	q = 1000
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q = thousandths(strings.TrimSpace(value))
		}
	}
	return strings.TrimSpace(media), q
}

// thousandths reads a qvalue: 0 to 1 with at most three decimals.
func thousandths(s string) int {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || len(s) > len("0.000") || !(f >= 0 && f <= 1) {
		return 0
	}
	return int(f*1000 + 0.5)
}
