package keyfuncs_test

import (
	"strings"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

func TestIPReadsThePeerAlone(t *testing.T) {
	rows := []struct{ peer, want string }{
		{"203.0.113.7:5000", "203.0.113.7"},
		{"203.0.113.7", "203.0.113.7"},
		{"203.0.113.7:", "bad/unknown"},
		{"203.0.113.7:65535", "203.0.113.7"},
		{"203.0.113.7:65536", "bad/unknown"},
		{"203.0.113.7:+80", "bad/unknown"},
		{"203.0.113.007:80", "bad/unknown"},
		{" 203.0.113.7:80", "bad/unknown"},
		{"[203.0.113.7]:80", "bad/unknown"},
		{"203.0.113.7%eth0", "bad/unknown"},
		{"[::ffff:203.0.113.7]:80", "203.0.113.7"},
		{"::ffff:203.0.113.7%eth0", "203.0.113.7"},
		{"2001:db8:1:2::9", "2001:db8:1:2::/64"},
		{"[2001:db8:1:2::9]:80", "2001:db8:1:2::/64"},
		{"[2001:db8:1:2::9]80", "bad/unknown"},
		{"[2001:db8:1:2::9]:", "bad/unknown"},
		{"[fe80::1%eth0]:80", "fe80::/64"},
		{"fe80::1%", "bad/unknown"},
		{"[64:ff9b::cb00:7107]:80", "203.0.113.7"},
		{"[64:ff9b::cb00:7108]:80", "203.0.113.8"},
		{"[64:ff9b:1::cb00:7107]:80", "64:ff9b:1::/64"},
		{"[64:ff9b::1:cb00:7107]:80", "64:ff9b::/64"}, // beyond the /96
		{"[::1]:80", "::/64"},
		{"", "bad/unknown"},
		{"@", "bad/unknown"},
		{"/run/app.sock", "bad/unknown"},
		{"localhost:80", "bad/unknown"},
		{strings.Repeat("1", 1<<20), "bad/unknown"},
	}
	for _, row := range rows {
		r := from(row.peer, "X-Forwarded-For", "198.51.100.1")
		if got := mustKey(t, keyfuncs.IP, r); got != row.want {
			t.Errorf("peer %.60q: got %q, want %q", row.peer, got, row.want)
		}
	}
}

func TestIPBehindBeyondTheVectors(t *testing.T) {
	f := keyfuncs.IPBehind(trusted...)
	const proxy, proxy6 = "10.0.0.1:5000", "[2001:db8:ffff::1]:5000"
	rows := []struct{ peer, line, want string }{
		{proxy, " \t , ,\t", "10.0.0.1"},
		{proxy, "203.0.113.7\t", "203.0.113.7"},
		{proxy, "203.0.113.7\v", "bad/10.0.0.1"},
		{proxy, "unknown", "bad/10.0.0.1"},
		{proxy6, "garbage", "bad/2001:db8:ffff::1"},
		{proxy, "198.51.100.1, 64:ff9b::10.0.0.9", "10.0.0.9"}, // embeds a proxy, is none: the walk ends there
		{"[64:ff9b::10.0.0.1]:5000", "198.51.100.1", "10.0.0.1"},
		{proxy, "203.0.113.7" + strings.Repeat(",10.0.0.2", 31), "203.0.113.7"},
		{proxy, "203.0.113.7" + strings.Repeat(",10.0.0.2", 32), "bad/10.0.0.2"},
		{proxy, "10.0.0.3" + strings.Repeat(",10.0.0.2", 31), "10.0.0.3"},
	}
	for _, row := range rows {
		if got := mustKey(t, f, from(row.peer, "X-Forwarded-For", row.line)); got != row.want {
			t.Errorf("%s, %.60q: got %q, want %q", row.peer, row.line, got, row.want)
		}
	}
}

func TestIPBehindHops(t *testing.T) {
	rows := []struct {
		n          int
		line, want string
	}{
		{1, "", "10.0.0.1"},
		{3, "", "10.0.0.1"},
		{1, "garbage", "bad/10.0.0.1"},
		{2, "198.51.100.1, 203.0.113.7, 203.0.113.9", "203.0.113.7"}, // outer proxy unknown: what hops are for
		{2, "198.51.100.1, 10.0.0.3, 10.0.0.2", "10.0.0.3"},          // the second, proxy or not
		{2, "203.0.113.7", "bad/10.0.0.1"},                           // came past one proxy
		{3, "203.0.113.7, 192.0.2.5", "bad/192.0.2.5"},
		{2, "garbage, 192.0.2.5", "bad/192.0.2.5"},
		{2, "garbage, 203.0.113.9", "bad/10.0.0.1"},           // counted, but no proxy that we know
		{3, "garbage, 10.0.0.2, 203.0.113.9", "bad/10.0.0.1"}, // a proxy's name in a stranger's mouth
		{32, "203.0.113.7" + strings.Repeat(",1.1.1.1", 31), "203.0.113.7"},
	}
	for _, row := range rows {
		f := keyfuncs.IPBehindHops(row.n, trusted...)
		if got := mustKey(t, f, from("10.0.0.1:5000", "X-Forwarded-For", row.line)); got != row.want {
			t.Errorf("%d hops, %.60q: got %q, want %q", row.n, row.line, got, row.want)
		}
	}
}

func TestIPFromHeader(t *testing.T) {
	f := keyfuncs.IPFromHeader("CF-Connecting-IP", trusted...)
	rows := []struct {
		lines []string
		want  string
	}{
		{nil, "10.0.0.1"},
		{[]string{" \t"}, "10.0.0.1"},
		{[]string{" 203.0.113.7 "}, "203.0.113.7"},
		{[]string{"10.0.0.9"}, "10.0.0.9"},
		{[]string{"198.51.100.1", "203.0.113.7"}, "203.0.113.7"}, // the proxy wrote the last
		{[]string{"198.51.100.1", ""}, "10.0.0.1"},               // and here it wrote nothing
		{[]string{"203.0.113.7,"}, "bad/10.0.0.1"},
		{[]string{"unknown"}, "bad/10.0.0.1"},
	}
	for _, row := range rows {
		if got := mustKey(t, f, from("10.0.0.1:5000", "cf-connecting-ip", row.lines...)); got != row.want {
			t.Errorf("%q: got %q, want %q", row.lines, got, row.want)
		}
		if got := mustKey(t, f, from("203.0.113.9:5000", "cf-connecting-ip", row.lines...)); got != "203.0.113.9" {
			t.Errorf("%q from a stranger: got %q", row.lines, got)
		}
	}
}

func TestSubnet(t *testing.T) {
	const peer = "[2001:db8:1:2:3:4:5:6]:80"
	rows := []struct {
		keys keyfuncs.IPKeys
		want string
	}{
		{keyfuncs.IPKeys{}, "2001:db8:1:2::/64"},
		{keyfuncs.Subnet(64), "2001:db8:1:2::/64"},
		{keyfuncs.Subnet(56), "2001:db8:1::/56"},
		{keyfuncs.Subnet(1), "::/1"},
		{keyfuncs.Subnet(128), "2001:db8:1:2:3:4:5:6/128"},
	}
	for _, row := range rows {
		if got := mustKey(t, row.keys.IP, request{peer: peer}); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
		for _, v4 := range []string{"203.0.113.7:80", "[64:ff9b::cb00:7107]:80"} {
			if got := mustKey(t, row.keys.IP, request{peer: v4}); got != "203.0.113.7" {
				t.Errorf("%s: got %q", v4, got)
			}
		}
	}
}

// Every constructor of the family uses the family's prefix length.
func TestSubnetOfEachSource(t *testing.T) {
	const client = "2001:db8:1:2ff::9"
	keys := keyfuncs.Subnet(56)
	rows := []struct {
		header, value string
		f             keyfuncs.Func
	}{
		{"X-Forwarded-For", client, keys.IPBehind(trusted...)},
		{"X-Forwarded-For", client, keys.IPBehindHops(1, trusted...)},
		{"Forwarded", `for="[` + client + `]"`, keys.IPFromForwarded(trusted...)},
		{"X-Real-IP", client, keys.IPFromHeader("X-Real-IP", trusted...)},
	}
	for _, row := range rows {
		if got := mustKey(t, row.f, from("10.0.0.1:80", row.header, row.value)); got != "2001:db8:1:200::/56" {
			t.Errorf("%s: got %q", row.header, got)
		}
	}
}
