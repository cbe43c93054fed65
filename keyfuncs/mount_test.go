package keyfuncs_test

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

func TestTrustedPrefixesAreChecked(t *testing.T) {
	constructors := map[string]func(...netip.Prefix) keyfuncs.Func{
		"IPBehind":        keyfuncs.IPBehind,
		"IPFromForwarded": keyfuncs.IPFromForwarded,
		"IPBehindHops":    func(p ...netip.Prefix) keyfuncs.Func { return keyfuncs.IPBehindHops(1, p...) },
		"IPFromHeader":    func(p ...netip.Prefix) keyfuncs.Func { return keyfuncs.IPFromHeader("X-Real-IP", p...) },
	}
	rows := []struct {
		trusted []netip.Prefix
		text    string
	}{
		{nil, "none: "},
		{[]netip.Prefix{{}}, "invalid Prefix: "},
		{prefixes("10.0.0.0/8", "0.0.0.0/0"), "0.0.0.0/0: trusts every peer"},
		{prefixes("::/0"), "::/0: trusts every peer"},
		{prefixes("10.1.2.3/0"), "10.1.2.3/0: trusts every peer"},
		{prefixes("::ffff:0.0.0.0/96"), "::ffff:0.0.0.0/96: trusts every peer"},
		{prefixes("::ffff:10.0.0.0/96"), "::ffff:10.0.0.0/96: trusts every peer"},
		{prefixes("::ffff:10.0.0.0/8"), "::ffff:10.0.0.0/8: reaches beyond IPv4"},
	}
	for name, constructor := range constructors {
		for _, row := range rows {
			wantPanic(t, "keyfuncs: "+name+": trusted: "+row.text, func() { constructor(row.trusted...) })
		}
	}
}

func TestTrustedPrefixForms(t *testing.T) {
	for _, network := range []string{"10.0.0.0/8", "10.0.0.9/8", "::ffff:10.0.0.0/104", "::ffff:10.0.0.1/128"} {
		f := keyfuncs.IPBehind(prefixes(network)...)
		for _, peer := range []string{"10.0.0.1:80", "[::ffff:10.0.0.1]:80"} {
			if got := mustKey(t, f, from(peer, "X-Forwarded-For", "203.0.113.7")); got != "203.0.113.7" {
				t.Errorf("%s, peer %s: got %q", network, peer, got)
			}
		}
	}
}

// A caller who reuses the slice of prefixes does not change whom we trust.
func TestTrustedIsCopied(t *testing.T) {
	mine := slices.Clone(trusted)
	f := keyfuncs.IPBehind(mine...)
	clear(mine)
	if got := mustKey(t, f, from("10.0.0.1:80", "X-Forwarded-For", "203.0.113.7")); got != "203.0.113.7" {
		t.Errorf("got %q", got)
	}
}

func TestAnyProxyInsecureTrustsEveryone(t *testing.T) {
	f := keyfuncs.IPBehindHops(1, keyfuncs.AnyProxyInsecure()...)
	for _, peer := range []string{"1.2.3.4:80", "198.51.100.1:80", "[2001:db8::1]:80", "[fe80::1%eth0]:80"} {
		if got := mustKey(t, f, from(peer, "X-Forwarded-For", "198.51.100.1, 203.0.113.7")); got != "203.0.113.7" {
			t.Errorf("peer %s: got %q", peer, got)
		}
	}
}

func TestOtherMistakesPanicAtMount(t *testing.T) {
	one := keyfuncs.Fixed("x")
	rows := map[string]func(){
		`keyfuncs: IPBehindHops: n: 0: `:           func() { keyfuncs.IPBehindHops(0, trusted...) },
		`keyfuncs: IPBehindHops: n: 33: `:          func() { keyfuncs.IPBehindHops(33, trusted...) },
		`keyfuncs: IPFromHeader: name: "": `:       func() { keyfuncs.IPFromHeader("", trusted...) },
		`keyfuncs: IPFromHeader: name: "X Real": `: func() { keyfuncs.IPFromHeader("X Real", trusted...) },
		`keyfuncs: Header: name: "": `:             func() { keyfuncs.Header("") },
		`keyfuncs: Header: name: "X-Kéy": `:        func() { keyfuncs.Header("X-Kéy") },
		`keyfuncs: Subnet: bits: 0: `:              func() { keyfuncs.Subnet(0) },
		`keyfuncs: Subnet: bits: 129: `:            func() { keyfuncs.Subnet(129) },
		`keyfuncs: UserID: key: <nil>: `:           func() { keyfuncs.UserID(nil) },
		`keyfuncs: UserID: key: []string: `:        func() { keyfuncs.UserID([]string{"uid"}) },
		`keyfuncs: Fixed: key: "": `:               func() { keyfuncs.Fixed("") },
		`keyfuncs: Join: functions: none: `:        func() { keyfuncs.Join() },
		`keyfuncs: Join: function 2: nil: `:        func() { keyfuncs.Join(one, nil) },
		`keyfuncs: FirstOf: functions: none: `:     func() { keyfuncs.FirstOf() },
		`keyfuncs: FirstOf: function 1: nil: `:     func() { keyfuncs.FirstOf(nil, one) },
	}
	for text, mount := range rows {
		wantPanic(t, text, mount)
	}
}
