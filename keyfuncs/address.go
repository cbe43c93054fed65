package keyfuncs

import (
	"net/netip"
	"strings"
)

// parseAddr reads an address in any form that proxies write: IPv4, IPv4:port,
// IPv6, [IPv6], [IPv6]:port. The result has no zone and is never IPv4-mapped:
// either would be a second name for one host, and would miss the prefix that
// trusts it.
func parseAddr(s string) (netip.Addr, bool) {
	host, port, hasPort := s, "", false
	inner, bracketed := strings.CutPrefix(s, "[")
	if bracketed {
		var closed bool
		if host, port, closed = strings.Cut(inner, "]"); !closed {
			return netip.Addr{}, false
		}
		hasPort = port != ""
		if hasPort && port[0] != ':' {
			return netip.Addr{}, false
		}
		port = strings.TrimPrefix(port, ":")
	} else if strings.Count(s, ":") == 1 {
		host, port, hasPort = strings.Cut(s, ":")
	}
	if hasPort && !isPort(port) {
		return netip.Addr{}, false
	}
	return parseHost(host, bracketed)
}

// parseHost reads an address without port or brackets. The zone is cut off
// before parsing because netip would keep a copy of each zone it meets.
func parseHost(host string, bracketed bool) (netip.Addr, bool) {
	host, zone, zoned := strings.Cut(host, "%")
	if zoned && zone == "" {
		return netip.Addr{}, false
	}
	a, err := netip.ParseAddr(host)
	if err != nil || a.Is4() && (bracketed || zoned) {
		return netip.Addr{}, false
	}
	return a.Unmap(), true
}

// isPort reports whether s is a port as RFC 7239 writes it: one to five
// digits, at most 65535.
func isPort(s string) bool {
	if s == "" || len(s) > 5 {
		return false
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n <= 65535
}

// nat64 is the well-known prefix of RFC 6052. Its last four bytes are an IPv4
// address; cut to a /64, all of IPv4 would be one key.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// defaultSubnet is one network of one client.
const defaultSubnet = 64

// maxKey holds the longest key: "bad/" and a whole IPv6 address, or a prefix.
const maxKey = len("bad/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")

// addrKey writes a as a key; subnet is the prefix length for IPv6, 0 for the
// default. NAT64 is undone only here, after trust was judged by the address as
// it stands, so that nobody is a proxy by embedding a proxy's address.
func addrKey(a netip.Addr, subnet int) string {
	if nat64.Contains(a) {
		bytes := a.As16()
		a = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	buf := make([]byte, 0, maxKey)
	if a.Is4() {
		return string(a.AppendTo(buf))
	}
	if subnet == 0 {
		subnet = defaultSubnet
	}
	return string(netip.PrefixFrom(a, subnet).Masked().AppendTo(buf))
}

// badKey is the bucket for requests whose chain broke behind hop, or before
// anything was known.
func badKey(hop netip.Addr) string {
	if !hop.IsValid() {
		return "bad/unknown"
	}
	buf := append(make([]byte, 0, maxKey), "bad/"...)
	return string(hop.AppendTo(buf))
}
