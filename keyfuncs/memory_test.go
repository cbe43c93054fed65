package keyfuncs_test

import (
	"testing"
	"unsafe"

	"github.com/slidegate/slidegate/keyfuncs"
)

// pool is request memory as fasthttp has it: strings are views of bytes that
// the next request overwrites.
type pool struct{ pages [][]byte }

func (p *pool) view(s string) string {
	page := []byte(s)
	p.pages = append(p.pages, page)
	return unsafe.String(unsafe.SliceData(page), len(page))
}

func (p *pool) overwrite() {
	for _, page := range p.pages {
		for i := range page {
			page[i] = '!'
		}
	}
}

// pooled makes a request whose every string dies with it.
func pooled(p *pool, header, value string) request {
	return request{
		peer:    p.view("10.0.0.1:5000"),
		method:  p.view("POST"),
		path:    p.view("/users/7"),
		route:   p.view("/users/{id}"),
		headers: [][2]string{{header, p.view(value)}},
		values:  map[any]any{"uid": p.view("alice"), "named": accountID(p.view("bob")), "user": &user{p.view("carol")}},
	}
}

func TestKeysOutliveTheRequest(t *testing.T) {
	rows := map[string]struct {
		f             keyfuncs.Func
		header, value string
		want          string
	}{
		"IP":              {keyfuncs.IP, "", "", "10.0.0.1"},
		"IPBehind":        {keyfuncs.IPBehind(trusted...), "X-Forwarded-For", "203.0.113.7", "203.0.113.7"},
		"IPBehind bad":    {keyfuncs.IPBehind(trusted...), "X-Forwarded-For", "garbage", "bad/10.0.0.1"},
		"IPBehindHops":    {keyfuncs.IPBehindHops(1, trusted...), "X-Forwarded-For", "2001:db8:1:2::9", "2001:db8:1:2::/64"},
		"IPFromForwarded": {keyfuncs.IPFromForwarded(trusted...), "Forwarded", "for=203.0.113.7", "203.0.113.7"},
		"IPFromHeader":    {keyfuncs.IPFromHeader("X-Real-IP", trusted...), "X-Real-IP", "203.0.113.7", "203.0.113.7"},
		"UserID":          {keyfuncs.UserID("uid"), "", "", "alice"},
		"UserID named":    {keyfuncs.UserID("named"), "", "", "bob"},
		"UserID Stringer": {keyfuncs.UserID("user"), "", "", "carol"},
		"Path":            {keyfuncs.Path, "", "", "/users/7"},
		"Route":           {keyfuncs.Route, "", "", "/users/{id}"},
		"Method":          {keyfuncs.Method, "", "", "POST"},
		"Join":            {keyfuncs.Join(keyfuncs.UserID("uid"), keyfuncs.Method), "", "", "5:alice4:POST"},
		"FirstOf":         {keyfuncs.FirstOf(keyfuncs.UserID("none"), keyfuncs.UserID("uid")), "", "", "alice"},
	}
	for name, row := range rows {
		var p pool
		key := mustKey(t, row.f, pooled(&p, row.header, row.value))
		p.overwrite()
		if key != row.want {
			t.Errorf("%s: key turned into %q, want %q", name, key, row.want)
		}
	}
}

// The key itself is the one allocation of an address key.
func TestAddressKeysAllocateOnce(t *testing.T) {
	rows := map[string]struct {
		f    keyfuncs.Func
		peer string
		line string
	}{
		"peer":      {keyfuncs.IP, "203.0.113.7:5000", ""},
		"peer IPv6": {keyfuncs.IP, "[2001:db8:1:2::9%eth0]:5000", ""},
		"one hop":   {keyfuncs.IPBehind(trusted...), proxy, "203.0.113.7"},
		"hostile":   {keyfuncs.IPBehind(trusted...), proxy, hostile("198.51.100.1, ") + "203.0.113.7, 192.0.2.5"},
		"Forwarded": {keyfuncs.IPFromForwarded(trusted...), proxy, `for="[2001:db8:1:2::9]";proto=https`},
		"header":    {keyfuncs.IPFromHeader("X-Real-IP", trusted...), proxy, "203.0.113.7"},
	}
	for name, row := range rows {
		r := &stub{request: request{peer: row.peer}, lines: []string{row.line}}
		if got := testing.AllocsPerRun(100, func() { row.f(r) }); got > 1 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}
