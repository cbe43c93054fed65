package keyfuncs

import (
	"net/netip"
	"slices"
	"strings"
)

// maxHops bounds the addresses read from one request. Real chains have two or
// three; a longer one is an attack or a loop.
const maxHops = 32

// walk goes from the peer towards the client, one address at a time, as far as
// each address is vouched for by the one before it. It lives on the stack of
// one call: with no callbacks in it, reading a header allocates nothing.
type walk struct {
	proxies proxies
	hops    int // which address is the client; 0 means the first that is no proxy
	subnet  int

	verified netip.Addr // last proxy reached without a gap; invalid if not even the peer is an address
	strayed  bool       // an address outside proxies was passed, as counting hops allows
	client   netip.Addr // invalid until found
	count    int        // addresses read
	bad      bool       // the chain broke before the client was reached
}

// walk starts at r's peer. Without proxies the peer is the client.
func (k IPKeys) walk(r Request, trusted proxies, hops int) walk {
	w := walk{proxies: trusted, hops: hops, subnet: k.subnet}
	peer, ok := parseAddr(r.RemoteAddr())
	switch {
	case !ok:
		w.bad = true
	case trusted.contain(peer):
		w.verified = peer
	default:
		w.client = peer
	}
	return w
}

// atProxy reports whether the peer's headers count.
func (w *walk) atProxy() bool { return w.verified.IsValid() }

// step reads the next address towards the client and reports whether the walk
// goes on. The bound comes first: what lies beyond it is not even parsed.
func (w *walk) step(text string) bool {
	if w.count == maxHops {
		w.bad = true
		return false
	}
	addr, ok := parseAddr(text)
	if !ok {
		w.bad = true
		return false
	}
	w.count++
	known := w.proxies.contain(addr)
	if w.count == w.hops || w.hops == 0 && !known {
		w.client = addr
		return false
	}
	w.strayed = w.strayed || !known
	if !w.strayed {
		w.verified = addr
	}
	return true
}

// list walks X-Forwarded-For. All lines are one list, and only the part that
// the walk needs is looked at, however long the client made the rest.
func (w *walk) list(lines []string) {
	for _, line := range slices.Backward(lines) {
		for line != "" {
			comma := strings.LastIndexByte(line, ',')
			element := trimBlank(line[comma+1:])
			line = line[:max(comma, 0)]
			if element != "" && !w.step(element) {
				return
			}
		}
	}
}

// single takes a header that holds one address. The last line is the one the
// proxy wrote.
func (w *walk) single(lines []string) {
	if len(lines) == 0 {
		return
	}
	if value := trimBlank(lines[len(lines)-1]); value != "" {
		w.step(value)
	}
}

// forwarded walks the Forwarded header. Each line stands or falls alone, so
// that a client's broken line does not spoil the one its proxy added.
func (w *walk) forwarded(lines []string) {
	for _, line := range slices.Backward(lines) {
		var nodes forwardedNodes
		if !nodes.read(line) {
			w.bad = true
			return
		}
		for node := range nodes.newestFirst {
			if !w.step(node) {
				return
			}
		}
	}
}

// key names where the walk ended. Where no address was read, or all of them
// are proxies, that is the last one verified.
func (w *walk) key() string {
	short := w.hops > w.count && w.count > 0
	switch {
	case w.client.IsValid():
		return addrKey(w.client, w.subnet)
	case w.bad, short:
		return badKey(w.verified)
	}
	return addrKey(w.verified, w.subnet)
}
