package keyfuncs

import (
	"net/netip"
	"strconv"
)

// IP keys by the socket's peer and reads no header at all, so nothing a client
// sends changes its key. It is the right choice where clients connect
// directly; behind a proxy it sees the proxy, and all clients share one key.
//
// An IPv4 address is its own key. An IPv6 address counts as its /64, written
// 2001:db8:1:2::/64, because one household or server owns a whole /64; Subnet
// changes that. A peer that is no address (a unix socket) has the key
// bad/unknown. The error is always nil.
func IP(r Request) (string, error) { return IPKeys{}.IP(r) }

// IPBehind keys by the client's address in X-Forwarded-For, for deployments
// where the networks of all proxies are known. The header counts only if the
// peer is within trusted. Its addresses are read from the right, newest first;
// the first that is not within trusted is the client, and if all are, the
// leftmost is. What a client puts into the header itself stands further left
// and is never reached.
//
// An unreadable entry ends the reading with the key bad/<last trusted
// address>: apart from the proxy's own key, which its health probes need. So
// does the 33rd entry. A trusted peer without the header is keyed by its own
// address. Keys are written as IP writes them; the error is always nil.
//
// IPBehind panics if trusted is empty or holds an invalid prefix or one that
// covers every address (see AnyProxyInsecure).
func IPBehind(trusted ...netip.Prefix) Func { return IPKeys{}.IPBehind(trusted...) }

// IPBehindHops keys by the n-th address of X-Forwarded-For from the right, for
// deployments that know how many proxies there are but not all their
// addresses. The peer must be within trusted; n counts the proxies, that peer
// included. With n of 1 it is the address the peer itself saw.
//
// A header of fewer than n addresses came past one of the proxies; the
// addresses in it are not believed and the key is bad/<last trusted address>.
// Without n proxies in front, a client can choose its key: where some requests
// skip a proxy, use IPBehind. Otherwise as IPBehind; panics also unless n is
// within 1 to 32.
func IPBehindHops(n int, trusted ...netip.Prefix) Func {
	return IPKeys{}.IPBehindHops(n, trusted...)
}

// IPFromForwarded is IPBehind for the Forwarded header of RFC 7239. Header
// lines are judged one by one from the last; a line that breaks the syntax or
// is longer than 8 KiB counts as unreadable, and so does an element whose
// "for" is missing, doubled, unknown, obfuscated or not an address.
//
// Use it where the proxy writes a header line of its own. If it appends to the
// client's line, an unclosed quote from the client makes the whole line
// unreadable: not forgeable, but such clients share the key bad/<proxy>.
func IPFromForwarded(trusted ...netip.Prefix) Func { return IPKeys{}.IPFromForwarded(trusted...) }

// IPFromHeader keys by the one address that a trusted peer puts into the named
// header, such as CF-Connecting-IP or X-Real-IP. The proxy must overwrite what
// clients send under that name. Of several lines the last counts; a list is
// unreadable: bad/<peer>. Otherwise as IPBehind; panics also if name cannot be
// the name of a header.
func IPFromHeader(name string, trusted ...netip.Prefix) Func {
	return IPKeys{}.IPFromHeader(name, trusted...)
}

// IPKeys makes the address keys of this package with a prefix length for IPv6
// of its own. Its methods are the functions of the same names, which use /64,
// and so does the zero value. It is immutable.
type IPKeys struct{ subnet int }

// Subnet makes one key of all IPv6 addresses that share their first bits bits:
//
//	keyfuncs.Subnet(56).IPBehind(loadBalancers)
//
// 56 or 48 suit clients who are given more than a /64 each; 128 takes every
// address apart, which hands each client 2^64 allowances. IPv4 is not
// affected. Subnet panics unless bits is within 1 to 128.
//
// It is a family of constructors rather than a wrapper around a Func, so it
// cannot be put, without effect, around a key that is not an address.
func Subnet(bits int) IPKeys {
	if bits < 1 || bits > 128 {
		refuse("Subnet", "bits", strconv.Itoa(bits), "is not within 1 to 128; 64 is one network of one client")
	}
	return IPKeys{subnet: bits}
}

// IP is the function IP with k's prefix length.
func (k IPKeys) IP(r Request) (string, error) {
	w := k.walk(r, nil, 0)
	return w.key(), nil
}

// IPBehind is the function IPBehind with k's prefix length.
func (k IPKeys) IPBehind(trusted ...netip.Prefix) Func {
	return k.forwardedFor(mustProxies("IPBehind", trusted), 0)
}

// IPBehindHops is the function IPBehindHops with k's prefix length.
func (k IPKeys) IPBehindHops(n int, trusted ...netip.Prefix) Func {
	if n < 1 || n > maxHops {
		refuse("IPBehindHops", "n", strconv.Itoa(n), "is not within 1 to 32; give the number of proxies in front of this program")
	}
	return k.forwardedFor(mustProxies("IPBehindHops", trusted), n)
}

func (k IPKeys) forwardedFor(trusted proxies, hops int) Func {
	return func(r Request) (string, error) {
		w := k.walk(r, trusted, hops)
		if w.atProxy() {
			w.list(r.HeaderValues("X-Forwarded-For"))
		}
		return w.key(), nil
	}
}

// IPFromForwarded is the function IPFromForwarded with k's prefix length.
func (k IPKeys) IPFromForwarded(trusted ...netip.Prefix) Func {
	known := mustProxies("IPFromForwarded", trusted)
	return func(r Request) (string, error) {
		w := k.walk(r, known, 0)
		if w.atProxy() {
			w.forwarded(r.HeaderValues("Forwarded"))
		}
		return w.key(), nil
	}
}

// IPFromHeader is the function IPFromHeader with k's prefix length.
func (k IPKeys) IPFromHeader(name string, trusted ...netip.Prefix) Func {
	mustHeaderName("IPFromHeader", name)
	known := mustProxies("IPFromHeader", trusted)
	return func(r Request) (string, error) {
		w := k.walk(r, known, 1)
		if w.atProxy() {
			w.single(r.HeaderValues(name))
		}
		return w.key(), nil
	}
}
