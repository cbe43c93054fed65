package guard_test

import (
	"strings"
	"testing"

	"github.com/slidegate/slidegate/core/guard"
)

// Nothing a client sends in Accept, and nothing another middleware has put into
// the response, can break a refusal: it has one of two bodies, and fields that
// hold no line break of ours.
func FuzzRefusal(f *testing.F) {
	f.Add("text/plain;q=0.5, */*", "limit=1, remaining=2, reset=3")
	f.Add(`a;q="x,y";;=`, "10;w=1, 10;w=60")
	f.Add("\x00,\xff;q=1e9", "-1")
	gates := []*guard.Gate{}
	for _, d := range []guard.Dialect{guard.Draft11, guard.Draft07, guard.Draft06, guard.Legacy} {
		e := newEngine()
		e.spent["three one"] = 3
		gates = append(gates, guard.New("test", e, three, one, guard.Headers(d)))
	}
	f.Fuzz(func(t *testing.T, accept, had string) {
		for _, g := range gates {
			v := g.Judge(request{accept: strings.Split(accept, "\n")})
			if v.Status != 429 || v.Body == "" || v.ContentType == "" {
				t.Fatalf("got %+v", v)
			}
			v.Apply(func(string) string { return had }, func(name, value string) {
				if strings.ContainsAny(strings.ReplaceAll(value, had, ""), "\r\n") {
					t.Fatalf("%s: %q", name, value)
				}
			})
		}
	})
}
