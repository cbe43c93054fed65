package keyfuncs_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/slidegate/slidegate/keyfuncs"
)

// spellings are entries of X-Forwarded-For and the host each one means; ""
// means nobody can tell.
type entry struct{ text, host string }

var (
	strangers = []entry{{"203.0.113.7", "203.0.113.7"}, {"203.0.113.7:80", "203.0.113.7"}, {"::ffff:cb00:7107", "203.0.113.7"},
		{"64:ff9b::203.0.113.7", "203.0.113.7"}, {"2001:db8:1:2::1", "2001:db8:1:2::/64"}, {"[2001:db8:1:2:f::]", "2001:db8:1:2::/64"},
		{"[2001:db8:1:2::3]:443", "2001:db8:1:2::/64"}, {"2001:DB8:1:2::4%eth0", "2001:db8:1:2::/64"}}
	insiders = []entry{{"10.9.9.9", "10.9.9.9"}, {"192.0.2.5:1", "192.0.2.5"}, {"::ffff:10.9.9.9", "10.9.9.9"}}
	broken   = []entry{{"garbage", ""}, {"10.9.9", ""}, {"[10.9.9.9]", ""}, {"10.9.9.9:x", ""}, {"::1::", ""}, {`"10.9.9.9"`, ""}}
	blank    = []entry{{"", ""}, {" \t", ""}}
)

// chain draws entries, leftmost first, and the header lines they may arrive in.
func chain(t *rapid.T) (entries []entry, lines []string) {
	one := rapid.OneOf(rapid.SampledFrom(insiders), rapid.SampledFrom(insiders), rapid.SampledFrom(strangers),
		rapid.SampledFrom(broken), rapid.SampledFrom(blank))
	entries = rapid.SliceOfN(one, 0, 40).Draw(t, "entries")
	var line strings.Builder
	for i, e := range entries {
		line.WriteString(e.text)
		if i == len(entries)-1 || rapid.IntRange(0, 3).Draw(t, "cut") == 0 {
			lines = append(lines, line.String())
			line.Reset()
			continue
		}
		line.WriteString(rapid.SampledFrom([]string{",", ", ", "\t,  "}).Draw(t, "comma"))
	}
	return entries, lines
}

// expected states the rules of IPBehind as plainly as possible.
func expected(entries []entry) string {
	hop, count := "10.0.0.1", 0
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		switch {
		case strings.TrimSpace(e.text) == "":
			continue
		case count == 32 || e.host == "":
			return "bad/" + hop
		case !isInsider(e):
			return e.host
		}
		hop, count = e.host, count+1
	}
	return hop
}

func isInsider(e entry) bool {
	return strings.HasPrefix(e.host, "10.") || strings.HasPrefix(e.host, "192.0.2.")
}

func TestChainsAgainstTheRules(t *testing.T) {
	f := keyfuncs.IPBehind(trusted...)
	rapid.Check(t, func(rt *rapid.T) {
		entries, lines := chain(rt)
		if got, want := mustKey(t, f, from(proxy, "X-Forwarded-For", lines...)), expected(entries); got != want {
			rt.Fatalf("%q: got %q, want %q", lines, got, want)
		}
	})
}

// Forwarded says the same chain in another syntax. It has no empty entries,
// and quotes make every spelling of an address legal in it.
func TestForwardedAgreesWithXForwardedFor(t *testing.T) {
	forwarded := keyfuncs.IPFromForwarded(trusted...)
	rapid.Check(t, func(rt *rapid.T) {
		one := rapid.OneOf(rapid.SampledFrom(insiders[:2]), rapid.SampledFrom(strangers[:2]), rapid.SampledFrom(strangers[5:7]))
		entries := rapid.SliceOfN(one, 0, 40).Draw(rt, "entries")
		var lines []string
		for _, e := range entries {
			lines = append(lines, rapid.SampledFrom([]string{"for=", "proto=http;For=", "by=_x ; FOR="}).Draw(rt, "name")+`"`+e.text+`"`)
		}
		if rapid.Bool().Draw(rt, "one line") {
			lines = []string{strings.Join(lines, ", ")}
		}
		if got, want := mustKey(t, forwarded, from(proxy, "Forwarded", lines...)), expected(entries); got != want {
			rt.Fatalf("%q: got %q, want %q", lines, got, want)
		}
	})
}

// Properties (a) to (d) over arbitrary text, on every run of the tests.
func TestForgedHeadersProperties(t *testing.T) {
	xff, fwd := keyfuncs.IPBehind(trusted...), keyfuncs.IPFromForwarded(trusted...)
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`(for=|"|\\|,|;|[0-9a-f:.\[\]%]| ){0,40}`))
	rapid.Check(t, func(rt *rapid.T) {
		sent := text.Draw(rt, "sent")
		checkUntrusted(t, xff, "X-Forwarded-For", sent)
		checkUntrusted(t, fwd, "Forwarded", sent)
		checkAppended(t, xff, "X-Forwarded-For", sent, ", ", "203.0.113.7")
		checkAppended(t, fwd, "Forwarded", sent, ", ", "for=203.0.113.7", "bad/10.0.0.1")
	})
}
