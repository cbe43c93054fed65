package keyfuncs_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

// longestKey is "bad/" and an IPv6 address written out.
const longestKey = len("bad/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")

// isAddressKey reports whether key is one of the three shapes an address key
// may have: IPv4, an IPv6 /64, or bad/ and the hop that vouched last.
func isAddressKey(key string) bool {
	if len(key) > longestKey {
		return false
	}
	if hop, isBad := strings.CutPrefix(key, "bad/"); isBad {
		a, err := netip.ParseAddr(hop)
		return hop == "unknown" || err == nil && isPlain(a) && a.String() == hop
	}
	if a, err := netip.ParseAddr(key); err == nil {
		return a.Is4() && a.String() == key
	}
	p, err := netip.ParsePrefix(key)
	return err == nil && p.Bits() == 64 && isPlain(p.Addr()) && p.Masked().String() == key
}

// isPlain reports whether a is in the one form we give an address.
func isPlain(a netip.Addr) bool { return !a.Is4In6() && a.Zone() == "" }

// checkKey is f's key for r, which must have a shape, be the same when asked
// again, and stand for itself: a peer of that address has that key.
func checkKey(t testing.TB, f keyfuncs.Func, r request) string {
	t.Helper()
	key := mustKey(t, f, r)
	if !isAddressKey(key) {
		t.Fatalf("%q is no address key, from %+v", key, r)
	}
	if again := mustKey(t, f, r); again != key {
		t.Fatalf("%q, asked again %q, from %+v", key, again, r)
	}
	if peer := member(key); peer != "" && mustKey(t, keyfuncs.IP, request{peer: peer}) != key {
		t.Fatalf("key %q, but %q has another", key, peer)
	}
	return key
}

// member is a host that key stands for, "" for a bad key. Of a network it is
// the last: the first may embed an IPv4 address (64:ff9b::) and be that one's.
func member(key string) string {
	if strings.HasPrefix(key, "bad/") {
		return ""
	}
	p, err := netip.ParsePrefix(key)
	if err != nil {
		return key
	}
	host := p.Addr().As16()
	copy(host[8:], "\xff\xff\xff\xff\xff\xff\xff\xff")
	return netip.AddrFrom16(host).String()
}

func TestIsAddressKey(t *testing.T) {
	for _, key := range []string{"203.0.113.7", "2001:db8:1:2::/64", "bad/10.0.0.1", "bad/2001:db8::1", "bad/unknown"} {
		if !isAddressKey(key) {
			t.Errorf("%q refused", key)
		}
	}
	for _, key := range []string{"", "x", "bad/", "bad/x", "203.0.113.7:80", "203.0.113.7/32", "2001:db8::1", "2001:db8::1/64",
		"2001:db8::/56", "::ffff:203.0.113.7", "bad/::ffff:203.0.113.7", "fe80::%eth0/64", "2001:DB8::/64"} {
		if isAddressKey(key) {
			t.Errorf("%q accepted", key)
		}
	}
}
