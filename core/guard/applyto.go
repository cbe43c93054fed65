package guard

import "strings"

// ApplyTo is Apply to the header of a net/http response, whose names have the
// case that net/http gives them.
func (v *Verdict) ApplyTo(header map[string][]string) {
	if v.message.n == 0 {
		return
	}
	values := make([]string, 0, v.message.n)
	v.apply(
		func(f field) string { return strings.Join(header[f.canonical()], ", ") },
		func(f field, value string) {
			values = append(values, value)
			header[f.canonical()] = values[len(values)-1 : len(values) : len(values)]
		})
}
