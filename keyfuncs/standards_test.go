package keyfuncs_test

import (
	"net/netip"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

// Examples of RFC 7239 and of the drafts, each with what it means for a key.
func TestExamplesOfTheStandards(t *testing.T) {
	const chain = `for=192.0.2.60;proto=http;by=203.0.113.43, for="[2001:db8:cafe::17]:4711"`
	const peer = "10.0.0.1:5000"
	host := "[2001:db8:1:12a2:3:4:5:6]:80"
	proxy := netip.MustParsePrefix("10.0.0.0/8")
	both := []netip.Prefix{proxy, netip.MustParsePrefix("2001:db8:cafe::/48")}
	ip := func(f keyfuncs.Func, peer string) string { return mustKey(t, f, request{peer: peer}) }
	for name, row := range map[string]struct{ got, want string }{
		"P14, the last hop":   {mustKey(t, keyfuncs.IPFromForwarded(proxy), from(peer, "Forwarded", chain)), "2001:db8:cafe::/64"},
		"P14, the hop before": {mustKey(t, keyfuncs.IPFromForwarded(both...), from(peer, "Forwarded", chain)), "192.0.2.60"},
		"P15, nobody named":   {mustKey(t, keyfuncs.IPFromForwarded(proxy), from(peer, "Forwarded", "for=_hidden, for=unknown")), "bad/10.0.0.1"},
		"P16, /64":            {ip(keyfuncs.IP, host), "2001:db8:1:12a2::/64"},
		"P16, /56":            {ip(keyfuncs.Subnet(56).IP, host), "2001:db8:1:1200::/56"},
		"P16, /48":            {ip(keyfuncs.Subnet(48).IP, host), "2001:db8:1::/48"},
		"P17, mapped":         {ip(keyfuncs.IP, "[::ffff:203.0.113.7]:80"), "203.0.113.7"},
		"P17, NAT64":          {ip(keyfuncs.IP, "[64:ff9b::203.0.113.7]:80"), "203.0.113.7"},
	} {
		if row.got != row.want {
			t.Errorf("%s: %s; want %s", name, row.got, row.want)
		}
	}
	one := keyfuncs.Join(keyfuncs.Fixed("a"), keyfuncs.Fixed("b:c"))
	other := keyfuncs.Join(keyfuncs.Fixed("a:b"), keyfuncs.Fixed("c"))
	if a, b := mustKey(t, one, request{}), mustKey(t, other, request{}); a == b {
		t.Errorf("P18: both are %s; want two keys", a)
	}
}
