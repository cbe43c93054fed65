package keyfuncs_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

const (
	stranger = "203.0.113.9:5000" // a peer outside trusted
	proxy    = "10.0.0.1:5000"    // a peer within trusted
)

// clientAddr makes an address outside trusted of four or sixteen bytes; ok is
// false where they are something else.
func clientAddr(raw []byte) (a netip.Addr, ok bool) {
	a, ok = netip.AddrFromSlice(raw)
	a = a.Unmap()
	return a, ok && !slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(a) })
}

// addSeeds gives a fuzz target the header values of the vectors and some of
// the spellings that other libraries trip over.
func addSeeds(f *testing.F) {
	seeds := []string{"", ",", "\x00", "a, b", `for="`, `for="[2001:db8::1]:80";by=_x`, `for=1.1.1.1, for="\"`, "::ffff:1.2.3.4%z",
		"[::1%25a]:1", "1.1.1.1:99999", strings.Repeat("10.0.0.2,", 40), strings.Repeat("for=10.0.0.2,", 40)}
	for _, row := range loadVectors(f).Rows {
		for _, h := range row.Headers {
			seeds = append(seeds, h[1])
		}
	}
	for _, seed := range seeds {
		f.Add(seed, []byte{198, 51, 100, 7})
	}
	f.Add("198.51.100.1", netip.MustParseAddr("2001:db8:1:2::9").AsSlice())
}

// checkUntrusted is property (a): to a peer outside trusted, and to IP in any
// case, headers do not matter.
func checkUntrusted(t testing.TB, f keyfuncs.Func, header string, lines ...string) {
	t.Helper()
	if key := checkKey(t, f, from(stranger, header, lines...)); key != "203.0.113.9" {
		t.Fatalf("a stranger's %s %q made the key %q", header, lines, key)
	}
	if key := checkKey(t, keyfuncs.IP, from(proxy, header, lines...)); key != "10.0.0.1" {
		t.Fatalf("%s %q made the key of IP %q", header, lines, key)
	}
}

// checkAppended is properties (b) and (d): what a client sends before its
// proxy adds line leads to the key of line alone, or to one of others.
func checkAppended(t testing.TB, f keyfuncs.Func, header, sent, joint, line string, others ...string) {
	t.Helper()
	own := checkKey(t, f, from(proxy, header, line))
	for _, r := range []request{from(proxy, header, sent, line), from(proxy, header, sent+joint+line)} {
		key := checkKey(t, f, r)
		if key != own && !slices.Contains(others, key) {
			t.Fatalf("%+v: key %q, but alone %q", r, key, own)
		}
	}
}

func FuzzXForwardedFor(f *testing.F) {
	addSeeds(f)
	key := keyfuncs.IPBehind(trusted...)
	f.Fuzz(func(t *testing.T, sent string, raw []byte) {
		checkUntrusted(t, key, "X-Forwarded-For", sent, sent)
		checkKey(t, key, from(proxy, "X-Forwarded-For", sent, sent))
		if client, ok := clientAddr(raw); ok {
			checkAppended(t, key, "X-Forwarded-For", sent, ", ", client.String())
		}
	})
}

func FuzzHops(f *testing.F) {
	addSeeds(f)
	one, two, five := keyfuncs.IPBehindHops(1, trusted...), keyfuncs.IPBehindHops(2, trusted...), keyfuncs.IPBehindHops(5, trusted...)
	f.Fuzz(func(t *testing.T, sent string, raw []byte) {
		for _, key := range []keyfuncs.Func{one, two, five} {
			checkUntrusted(t, key, "X-Forwarded-For", sent)
			checkKey(t, key, from(proxy, "X-Forwarded-For", sent))
		}
		if client, ok := clientAddr(raw); ok {
			checkAppended(t, one, "X-Forwarded-For", sent, ", ", client.String())
			checkAppended(t, two, "X-Forwarded-For", sent, ", ", client.String()+", 198.51.100.250")
		}
	})
}

func FuzzForwarded(f *testing.F) {
	addSeeds(f)
	key := keyfuncs.IPFromForwarded(trusted...)
	f.Fuzz(func(t *testing.T, sent string, raw []byte) {
		checkUntrusted(t, key, "Forwarded", sent, sent)
		checkKey(t, key, from(proxy, "Forwarded", sent, sent))
		client, ok := clientAddr(raw)
		if !ok {
			return
		}
		node := client.String()
		if client.Is6() {
			node = `"[` + node + `]"`
		}
		// On one line with what the client sent, the worst is the bad bucket.
		checkAppended(t, key, "Forwarded", sent, ", ", "for="+node+";proto=https", "bad/10.0.0.1")
		own := mustKey(t, key, from(proxy, "Forwarded", "for="+node))
		if got := mustKey(t, key, from(proxy, "Forwarded", sent, "for="+node)); got != own {
			t.Fatalf("line %q before the proxy's made %q of %q", sent, got, own)
		}
	})
}

func FuzzHeaderIP(f *testing.F) {
	addSeeds(f)
	key := keyfuncs.IPFromHeader("X-Real-IP", trusted...)
	f.Fuzz(func(t *testing.T, sent string, raw []byte) {
		checkUntrusted(t, key, "X-Real-IP", sent, sent)
		checkKey(t, key, from(proxy, "X-Real-IP", sent))
		client, ok := clientAddr(raw)
		if !ok {
			return
		}
		own := checkKey(t, key, from(proxy, "X-Real-IP", client.String()))
		if got := checkKey(t, key, from(proxy, "X-Real-IP", sent, client.String())); got != own {
			t.Fatalf("line %q before the proxy's made %q of %q", sent, got, own)
		}
		other := from(proxy, "X-Forwarded-For", sent)
		if got := checkKey(t, key, other); got != "10.0.0.1" {
			t.Fatalf("X-Forwarded-For %q made %q of a source that is X-Real-IP", sent, got)
		}
	})
}

func FuzzRemoteAddr(f *testing.F) {
	for _, row := range loadVectors(f).Rows {
		f.Add(row.RemoteAddr)
	}
	f.Add("[fe80::1%eth0]:80")
	f.Add("[64:ff9b::1.2.3.4]:80")
	sources := []keyfuncs.Func{keyfuncs.IP, keyfuncs.IPBehind(trusted...), keyfuncs.IPBehindHops(2, trusted...),
		keyfuncs.IPFromForwarded(trusted...), keyfuncs.IPFromHeader("X-Real-IP", trusted...)}
	f.Fuzz(func(t *testing.T, peer string) {
		// Without any header all sources agree.
		want := checkKey(t, keyfuncs.IP, request{peer: peer})
		for _, source := range sources {
			if got := checkKey(t, source, request{peer: peer}); got != want {
				t.Fatalf("peer %q: %q and %q", peer, want, got)
			}
		}
		for bits := 1; bits <= 128; bits += 21 {
			if key := mustKey(t, keyfuncs.Subnet(bits).IP, request{peer: peer}); len(key) > longestKey {
				t.Fatalf("peer %q, /%d: key %q", peer, bits, key)
			}
		}
	})
}

func FuzzJoin(f *testing.F) {
	f.Add("a", "b:c", "a:b", "c")
	f.Add("", "1:", "1", ":")
	f.Add("1:a", "", "1", "a")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		if same := a == c && b == d; (join(t, []string{a, b}) == join(t, []string{c, d})) != same {
			t.Fatalf("%q,%q and %q,%q", a, b, c, d)
		}
		for _, other := range [][]string{{a + b}, {a, b, ""}, {a, b, c}, {"", a, b}, {join(t, []string{a, b})}} {
			if join(t, []string{a, b}) == join(t, other) {
				t.Fatalf("%q,%q and %q", a, b, other)
			}
		}
	})
}
