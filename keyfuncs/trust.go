package keyfuncs

import (
	"net/netip"
	"slices"
)

// AnyProxyInsecure trusts every peer as a proxy, for hosts whose proxies have
// no known addresses:
//
//	keyfuncs.IPBehindHops(1, keyfuncs.AnyProxyInsecure()...)
//
// It is safe only if nobody reaches the program past the proxies: whoever does
// chooses any key they like. Only IPBehindHops and IPFromHeader make sense
// with it; with IPBehind and IPFromForwarded every address is a proxy's, so
// the leftmost wins, and that one is always the client's to write.
func AnyProxyInsecure() []netip.Prefix {
	halves := make([]netip.Prefix, 0, 4)
	for _, text := range []string{"0.0.0.0/1", "128.0.0.0/1", "::/1", "8000::/1"} {
		halves = append(halves, netip.MustParsePrefix(text))
	}
	return halves
}

// proxies are the networks whose word about others counts.
type proxies []netip.Prefix

func (p proxies) contain(a netip.Addr) bool {
	for _, network := range p {
		if network.Contains(a) {
			return true
		}
	}
	return false
}

// mustProxies copies trusted into the form that contain needs, and panics
// where trusted cannot be meant.
func mustProxies(function string, trusted []netip.Prefix) proxies {
	if len(trusted) == 0 {
		refuse(function, "trusted", "none", "no header would ever be read; list the networks of the proxies, or use IP")
	}
	known := slices.Clone(trusted)
	for i, network := range known {
		known[i] = mustProxy(function, network)
	}
	return known
}

func mustProxy(function string, network netip.Prefix) netip.Prefix {
	if !network.IsValid() {
		refuse(function, "trusted", network.String(), "build prefixes with netip.MustParsePrefix")
	}
	plain := network
	if network.Addr().Is4In6() {
		plain = mustUnmap(function, network)
	}
	if plain.Bits() == 0 {
		refuse(function, "trusted", network.String(),
			"trusts every peer, so any client could write its own address; list the networks of the proxies, or say AnyProxyInsecure()")
	}
	return plain
}

// mustUnmap turns ::ffff:10.0.0.0/104 into 10.0.0.0/8: addresses are unmapped
// before they are compared, so the mapped form would match none.
func mustUnmap(function string, network netip.Prefix) netip.Prefix {
	if network.Bits() < 96 {
		refuse(function, "trusted", network.String(), "reaches beyond IPv4; write the IPv4 network plainly, such as 10.0.0.0/8")
	}
	return netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-96)
}
