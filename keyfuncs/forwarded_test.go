package keyfuncs_test

import (
	"strings"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

// Rows are the lines of one request, so that the last line is the proxy's.
func TestForwardedSyntax(t *testing.T) {
	const client, bad, proxy = "203.0.113.7", "bad/10.0.0.1", "10.0.0.1"
	rows := []struct {
		want  string
		lines []string
	}{
		{client, []string{`for=203.0.113.7`}},
		{client, []string{`FOR=203.0.113.7`}},
		{client, []string{`for="203.0.113.7"`}},
		{client, []string{`for="203.0.113.7:4711"`}},
		{client, []string{`by=10.0.0.1; for=203.0.113.7 ;proto=https`}},
		{client, []string{`;for=203.0.113.7;`}},
		{client, []string{`for=203.0.113.7;host="a,b;c\"d"`}},
		{client, []string{`for=203.0.113.7, ,,`}},
		{client, []string{`for=203.0.113.7,for=192.0.2.5`, "", "for=10.0.0.2"}},
		{client, []string{`for=unknown, for=203.0.113.7`}}, // right syntax further left is not our concern
		{client, []string{`proto=https, for=203.0.113.7`}},
		{"2001:db8:1:2::/64", []string{`for="[2001:db8:1:2::1]"`}},
		{"2001:db8:1:2::/64", []string{`For="[2001:db8:1:2::1%eth0]:4711"`}},
		{proxy, nil},
		{proxy, []string{"", " , "}},
		{"10.0.0.3", []string{`for=10.0.0.3, for=10.0.0.2`}},
		{bad, []string{`for=`}},
		{bad, []string{`for=""`}},
		{bad, []string{`for`}},
		{bad, []string{`=203.0.113.7`}},
		{bad, []string{`;`}},
		{bad, []string{`proto=https`}},
		{bad, []string{`for=_hidden`}},
		{bad, []string{`for="unknown:80"`}},
		{bad, []string{`for="203.0.113.7:_port"`}},
		{bad, []string{`for=203.0.113.7:4711`}},  // a colon needs quotes
		{bad, []string{`for=[2001:db8:1:2::1]`}}, // and so do brackets
		{bad, []string{`for="2001:db8:1:2::1"`}}, // port or group?
		{bad, []string{`for = 203.0.113.7`}},     // no blanks around =
		{bad, []string{`for=203.0.113.7 for=1.1.1.1`}},
		{bad, []string{`for="203.0.113.7"x`}},
		{bad, []string{`for="203.0.113.7\`}},
		{bad, []string{"for=203.0.113.7;host=\"\x00\""}},
		{bad, []string{"for=203.0.113.7;host=\"\\\x7f\""}},
		{bad, []string{"for=203.0.113.7;host=\x80"}},
		{client, []string{"for=203.0.113.7;host=\"\t\x80\\\xff\""}},
		{bad, []string{`for="x, for=203.0.113.7`}},
		{bad, []string{`for=203.0.113.7`, `proto`}}, // the last line is broken
		{bad, []string{`for=203.0.113.7;host="` + strings.Repeat("x", 8<<10) + `"`}},
		{"bad/10.0.0.2", []string{`for="`, `for=10.0.0.2`}},
		{"bad/10.0.0.2", []string{`for=203.0.113.7` + strings.Repeat(`,for=10.0.0.2`, 32)}},
		{"bad/10.0.0.2", []string{`for=203.0.113.7`, strings.Repeat(`for=10.0.0.2,`, 40)}},
		{client, []string{`for=203.0.113.7` + strings.Repeat(`,for=10.0.0.2`, 31)}},
		{client, []string{strings.Repeat(`for=198.51.100.1,`, 100) + `for=203.0.113.7`}},
	}
	f := keyfuncs.IPFromForwarded(trusted...)
	for _, row := range rows {
		if got := mustKey(t, f, from("10.0.0.1:5000", "Forwarded", row.lines...)); got != row.want {
			t.Errorf("%.80q: got %q, want %q", row.lines, got, row.want)
		}
	}
}
