package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/slidegate/slidegate/core"
)

// A request is one -policy: as it was spelled out, or, where nothing but a
// limit was said, that limit under every algorithm.
type request struct {
	policy core.Policy
	every  bool
}

func (r request) policies() []core.Policy {
	if !r.every {
		return []core.Policy{r.policy}
	}
	all := make([]core.Policy, len(variants))
	for i, p := range variants {
		p.Name, p.Limit, p.Window = r.policy.Name, r.policy.Limit, r.policy.Window
		all[i] = p
	}
	return all
}

// A field is a setting of -policy by its name there.
type field struct {
	name, want string
	set        func(*core.Policy, string) bool
	show       func(core.Policy) string // "" for the zero value
}

var fields = []field{
	{"algorithm", strings.Join(algorithmNames(), ", "), setAlgorithm, func(p core.Policy) string { return algorithmName(p.Algorithm) }},
	number("burst", func(p *core.Policy) *int64 { return &p.Burst }),
	small("subwindows", func(p *core.Policy) *int { return &p.SubWindows }),
	{"edge", "conservative or weighted", setEdge, showEdge},
	small("fine", func(p *core.Policy) *int { return &p.FineWindows }),
	number("coarse-limit", func(p *core.Policy) *int64 { return &p.CoarseLimit }),
	number("fine-limit", func(p *core.Policy) *int64 { return &p.FineLimit }),
	small("min-subwindows", func(p *core.Policy) *int { return &p.MinSubWindows }),
	number("narrow-above", func(p *core.Policy) *int64 { return &p.NarrowAbove }),
	number("widen-below", func(p *core.Policy) *int64 { return &p.WidenBelow }),
	{"field-ttl", "true or false", setFieldTTL, showFieldTTL},
}

func number(name string, of func(*core.Policy) *int64) field {
	set := func(p *core.Policy, text string) (ok bool) {
		*of(p), ok = whole(text)
		return ok
	}
	return field{name, "a whole number", set, func(p core.Policy) string { return unlessZero(*of(&p)) }}
}

func small(name string, of func(*core.Policy) *int) field {
	set := func(p *core.Policy, text string) bool {
		n, err := strconv.Atoi(text)
		*of(p) = n
		return err == nil
	}
	return field{name, "a whole number", set, func(p core.Policy) string { return unlessZero(int64(*of(&p))) }}
}

func whole(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

func unlessZero(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func setEdge(p *core.Policy, text string) bool {
	if text == "weighted" {
		p.Edge = core.Weighted
	}
	return text == "weighted" || text == "conservative"
}

func showEdge(p core.Policy) string {
	if p.Edge == core.Weighted {
		return "weighted"
	}
	return ""
}

func setFieldTTL(p *core.Policy, text string) bool {
	p.FieldTTL = text == "true"
	return text == "true" || text == "false"
}

func showFieldTTL(p core.Policy) string {
	if p.FieldTTL {
		return "true"
	}
	return ""
}

func setAlgorithm(p *core.Policy, text string) bool {
	for a := range core.LayeredWindow + 1 {
		if algorithmName(a) == text {
			p.Algorithm = a
			return true
		}
	}
	return false
}

func algorithmNames() (names []string) {
	for a := range core.LayeredWindow + 1 {
		names = append(names, algorithmName(a))
	}
	return names
}

// algorithmName is the constant's name as flags are spelled: SlidingLog is sliding-log.
func algorithmName(a core.Algorithm) string {
	var name strings.Builder
	was := 'A'
	for _, c := range a.String() {
		if isUpper(c) && !isUpper(was) {
			name.WriteByte('-')
		}
		name.WriteRune(c)
		was = c
	}
	return strings.ToLower(name.String())
}

func isUpper(c rune) bool { return 'A' <= c && c <= 'Z' }

const policyForm = "name=LIMIT/WINDOW, such as api=100/1m"

// parsePolicy reads name=LIMIT/WINDOW[,field=value…]. Whether the values go
// together is Validate's to say.
func parsePolicy(text string) (request, error) {
	head, rest, more := strings.Cut(text, ",")
	r := request{every: !more}
	if err := parseAllowance(&r.policy, head); err != nil {
		return r, err
	}
	seen := map[string]bool{}
	for more {
		var setting string
		setting, rest, more = strings.Cut(rest, ",")
		name, _, _ := strings.Cut(setting, "=")
		if seen[name] {
			return r, fmt.Errorf("%s is given twice", name)
		}
		seen[name] = true
		if err := parseSetting(&r.policy, setting); err != nil {
			return r, err
		}
	}
	return r, nil
}

func parseAllowance(p *core.Policy, text string) error {
	name, allowance, ok := strings.Cut(text, "=")
	limit, window, alsoOK := strings.Cut(allowance, "/")
	if !ok || !alsoOK {
		return fmt.Errorf("%q is no allowance; want %s", text, policyForm)
	}
	p.Name = name
	if p.Limit, ok = whole(limit); !ok {
		return fmt.Errorf("limit %q is no whole number; want %s", limit, policyForm)
	}
	var err error
	if p.Window, err = time.ParseDuration(window); err != nil {
		return fmt.Errorf("window %q is no duration such as 500ms, 1m or 24h; want %s", window, policyForm)
	}
	return nil
}

func parseSetting(p *core.Policy, text string) error {
	name, value, _ := strings.Cut(text, "=")
	var known []string
	for _, f := range fields {
		known = append(known, f.name)
		if f.name != name {
			continue
		}
		if !f.set(p, value) {
			return fmt.Errorf("%s is %q; want %s", name, value, f.want)
		}
		return nil
	}
	return fmt.Errorf("%q is no field; want one of %s", name, strings.Join(known, ", "))
}
