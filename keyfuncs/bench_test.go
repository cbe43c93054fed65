package keyfuncs_test

import (
	"strings"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

// stub hands out prepared header lines, so that a benchmark counts what the
// key function allocates and nothing else.
type stub struct {
	request
	lines []string
}

func (s *stub) HeaderValues(string) []string { return s.lines }

// hostile is 8 KiB of what a client may put before the address that the proxy
// appends.
func hostile(unit string) string { return strings.Repeat(unit, 8192/len(unit)) }

func BenchmarkKey(b *testing.B) {
	const viaProxy, client = "10.0.0.1:5000", "203.0.113.7"
	rows := []struct {
		name string
		f    keyfuncs.Func
		peer string
		line string
	}{
		{"IP/v4", keyfuncs.IP, client + ":5000", ""},
		{"IP/v6", keyfuncs.IP, "[2001:db8:1:2::9]:5000", ""},
		{"IPBehind/untrusted", keyfuncs.IPBehind(trusted...), client + ":5000", client},
		{"IPBehind/1hop", keyfuncs.IPBehind(trusted...), viaProxy, client},
		{"IPBehind/3hops", keyfuncs.IPBehind(trusted...), viaProxy, client + ", 192.0.2.5, 10.0.0.2"},
		{"IPBehind/8KiB_addresses", keyfuncs.IPBehind(trusted...), viaProxy, hostile("198.51.100.1, ") + client},
		{"IPBehind/8KiB_commas", keyfuncs.IPBehind(trusted...), viaProxy, client + hostile(",")},
		{"IPBehind/8KiB_trusted", keyfuncs.IPBehind(trusted...), viaProxy, hostile("10.9.9.9, ") + "10.0.0.2"},
		{"IPBehind/8KiB_garbage", keyfuncs.IPBehind(trusted...), viaProxy, hostile("x")},
		{"IPBehindHops/2", keyfuncs.IPBehindHops(2, trusted...), viaProxy, client + ", 192.0.2.5"},
		{"IPFromHeader", keyfuncs.IPFromHeader("X-Real-IP", trusted...), viaProxy, client},
		{"IPFromForwarded/1hop", keyfuncs.IPFromForwarded(trusted...), viaProxy, "for=" + client + ";proto=https;by=10.0.0.1"},
		{"IPFromForwarded/8KiB", keyfuncs.IPFromForwarded(trusted...), viaProxy, hostile("for=10.9.9.9,")},
		{"IPFromForwarded/8KiB_escapes", keyfuncs.IPFromForwarded(trusted...), viaProxy, `for="` + hostile(`\a`)[:8000] + `"`},
	}
	for _, row := range rows {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			r := &stub{request: request{peer: row.peer}, lines: []string{row.line}}
			for b.Loop() {
				if _, err := row.f(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCombined(b *testing.B) {
	uid := keyfuncs.UserID("uid")
	rows := []struct {
		name string
		f    keyfuncs.Func
		r    keyfuncs.Request
	}{
		{"UserID", uid, request{values: map[any]any{"uid": "alice"}}},
		{"FirstOf/anonymous", keyfuncs.FirstOf(uid, keyfuncs.IP), request{peer: "203.0.113.7:5000"}},
		{"Join/IP_Route", keyfuncs.Join(keyfuncs.IP, keyfuncs.Route), request{peer: "203.0.113.7:5000", route: "/users/{id}"}},
		{"Header", keyfuncs.Header("X-Api-Key"), &stub{lines: []string{"0123456789abcdef0123456789abcdef"}}},
		{"Method", keyfuncs.Method, request{method: "POST"}},
	}
	for _, row := range rows {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := row.f(row.r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
