package keyfuncs_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

// forgery is one request of a client that rotates everything it may write.
func forgery(peer string, i int) request {
	ip := fmt.Sprintf("198.51.%d.%d", i/250, i%250)
	r := request{peer: peer, method: "GET", path: "/"}
	for _, name := range []string{"X-Forwarded-For", "X-Real-IP", "CF-Connecting-IP", "True-Client-IP", "X-Client-IP"} {
		r.headers = append(r.headers, [2]string{name, ip})
	}
	r.headers = append(r.headers, [2]string{"Forwarded", "for=" + ip})
	return r
}

// keysOf are the keys f gives to n requests, with how often.
func keysOf(t *testing.T, f keyfuncs.Func, n int, request func(int) request) map[string]int {
	t.Helper()
	keys := map[string]int{}
	for i := range n {
		keys[mustKey(t, f, request(i))]++
	}
	return keys
}

func TestRotatedHeadersOfOnePeerAreOneKey(t *testing.T) {
	sources := map[string]keyfuncs.Func{
		"IP":              keyfuncs.IP,
		"IPBehind":        keyfuncs.IPBehind(trusted...),
		"IPBehindHops":    keyfuncs.IPBehindHops(2, trusted...),
		"IPFromForwarded": keyfuncs.IPFromForwarded(trusted...),
		"IPFromHeader":    keyfuncs.IPFromHeader("X-Real-IP", trusted...),
	}
	for name, f := range sources {
		keys := keysOf(t, f, 50, func(i int) request { return forgery(stranger, i) })
		if len(keys) != 1 || keys["203.0.113.9"] != 50 {
			t.Errorf("%s: keys %v", name, keys)
		}
	}
}

func TestRotatedHeadersThroughAProxyAreOneKey(t *testing.T) {
	// The proxy adds to the client's headers, or in X-Real-IP's case replaces it.
	const client = "203.0.113.7"
	sources := map[string]struct {
		f      keyfuncs.Func
		header string
		line   string
	}{
		"IPBehind":        {keyfuncs.IPBehind(trusted...), "X-Forwarded-For", client},
		"IPBehindHops":    {keyfuncs.IPBehindHops(1, trusted...), "X-Forwarded-For", client},
		"IPFromForwarded": {keyfuncs.IPFromForwarded(trusted...), "Forwarded", "for=" + client},
		"IPFromHeader":    {keyfuncs.IPFromHeader("X-Real-IP", trusted...), "X-Real-IP", client},
	}
	for name, source := range sources {
		keys := keysOf(t, source.f, 50, func(i int) request {
			r := forgery(proxy, i)
			r.headers = append(r.headers, [2]string{source.header, source.line})
			return r
		})
		if len(keys) != 1 || keys[client] != 50 {
			t.Errorf("%s: keys %v", name, keys)
		}
	}
}

// Property (d): one client, one appending proxy, any header: two keys at most.
func TestHeadersOfOneClientAreTwoKeysAtMost(t *testing.T) {
	pieces := []string{"198.51.100.1", "10.0.0.7", "garbage", ",", ", ", `"`, `\`, "for=", "For=", ";", "[::1]", "[", ":80", "%a", " ", "\t", "\x00", "é"}
	random := rand.New(rand.NewPCG(1, 2))
	sent := func(int) (text string) {
		for range random.IntN(12) {
			text += pieces[random.IntN(len(pieces))]
		}
		return text
	}
	const n = 100_000
	xff := keysOf(t, keyfuncs.IPBehind(trusted...), n, func(i int) request {
		return from(proxy, "X-Forwarded-For", sent(i)+", 203.0.113.7")
	})
	if got := slices.Sorted(maps.Keys(xff)); !slices.Equal(got, []string{"203.0.113.7"}) {
		t.Errorf("X-Forwarded-For: keys %v", xff)
	}
	forwarded := keysOf(t, keyfuncs.IPFromForwarded(trusted...), n, func(i int) request {
		return from(proxy, "Forwarded", sent(i)+", for=203.0.113.7")
	})
	if got := slices.Sorted(maps.Keys(forwarded)); !slices.Equal(got, []string{"203.0.113.7", "bad/10.0.0.1"}) {
		t.Errorf("Forwarded: keys %v", forwarded)
	}
}

func TestAddressesOfOneNetworkAreOneKey(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	keys := keysOf(t, keyfuncs.IP, 10_000, func(int) request {
		low := random.Uint64()
		return request{peer: fmt.Sprintf("[2001:db8:1:2:%x:%x:%x:%x]:80", low>>48, low>>32&0xffff, low>>16&0xffff, low&0xffff)}
	})
	if len(keys) != 1 || keys["2001:db8:1:2::/64"] != 10_000 {
		t.Errorf("keys %v", keys)
	}
	if next := mustKey(t, keyfuncs.IP, request{peer: "[2001:db8:1:3::1]:80"}); next != "2001:db8:1:3::/64" {
		t.Errorf("neighbour: %q", next)
	}
}

// IPv4 clients of a listener for both families are three, not one /64.
func TestMappedAddressesStayApart(t *testing.T) {
	keys := keysOf(t, keyfuncs.IP, 3, func(i int) request { return request{peer: fmt.Sprintf("[::ffff:203.0.113.%d]:80", i)} })
	if len(keys) != 3 {
		t.Errorf("keys %v", keys)
	}
}

// Malformed requests through a proxy do not spend the proxy's own allowance,
// which its health probes need.
func TestHealthProbesKeepTheirKey(t *testing.T) {
	f := keyfuncs.IPBehind(trusted...)
	probe := mustKey(t, f, request{peer: proxy})
	keys := keysOf(t, f, 1000, func(i int) request { return from(proxy, "X-Forwarded-For", fmt.Sprintf("bad%d", i)) })
	if len(keys) != 1 || keys[probe] != 0 {
		t.Errorf("probe %q, malformed %v", probe, keys)
	}
}
