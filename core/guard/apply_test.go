package guard_test

import (
	"maps"
	"testing"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
)

// nested judges one request by an outer and an inner limiter, the inner one
// with so much spent before, and returns the fields of the response.
func nested(spent int64, dialects ...guard.Dialect) map[string]string {
	e := newEngine()
	e.spent["inner one"] = spent
	outer := guard.New("test", e, core.PerMinute("outer", 10), one, guard.Headers(dialects...))
	inner := guard.New("test", e, core.PerHour("inner", 20), one, guard.Headers(dialects...))
	first := outer.Judge(request{})
	header := sent(&first, nil)
	second := inner.Judge(request{})
	return sent(&second, header)
}

func TestNestedLimiters(t *testing.T) {
	rows := []struct {
		about    string
		spent    int64
		dialects []guard.Dialect
		want     map[string]string
	}{
		{"lists grow", 0, []guard.Dialect{guard.Draft11}, map[string]string{
			"RateLimit-Policy": `"outer";q=10;w=60, "inner";q=20;w=3600`, "RateLimit": `"outer";r=9;t=5, "inner";r=19;t=5`}},
		{"outer has less left", 0, []guard.Dialect{guard.Draft06}, map[string]string{
			"RateLimit-Limit": "10", "RateLimit-Remaining": "9", "RateLimit-Reset": "9", "RateLimit-Policy": "10;w=60, 20;w=3600"}},
		{"inner has less left", 15, []guard.Dialect{guard.Draft07}, map[string]string{
			"RateLimit": "limit=20, remaining=4, reset=9", "RateLimit-Policy": "10;w=60, 20;w=3600"}},
		{"outer has less left, in one field", 2, []guard.Dialect{guard.Draft07}, map[string]string{
			"RateLimit": "limit=10, remaining=9, reset=9", "RateLimit-Policy": "10;w=60, 20;w=3600"}},
		{"inner denies", 20, []guard.Dialect{guard.Draft06}, map[string]string{
			"RateLimit-Limit": "20", "RateLimit-Remaining": "0", "RateLimit-Reset": "7", "RateLimit-Policy": "10;w=60, 20;w=3600",
			"Retry-After": "7", "Cache-Control": "no-store"}},
	}
	for _, row := range rows {
		if got := nested(row.spent, row.dialects...); !maps.Equal(got, row.want) {
			t.Errorf("%s:\n got %q\nwant %q", row.about, got, row.want)
		}
	}
	legacy := nested(0, guard.Legacy)
	if legacy["X-RateLimit-Limit"] != "10" || legacy["X-RateLimit-Remaining"] != "9" {
		t.Errorf("legacy: got %q", legacy)
	}
}

// Two quotas of one number must not both be listed, nested or not.
func TestNestedQuotasOfOneNumber(t *testing.T) {
	for spent, want := range map[int64]string{0: "10;w=60", 5: "10;w=3600"} {
		e := newEngine()
		e.spent["inner one"] = spent
		header := map[string]string{}
		for _, p := range []core.Policy{core.PerMinute("outer", 10), core.PerHour("inner", 10)} {
			v := guard.New("test", e, p, one, guard.Headers(guard.Draft06)).Judge(request{})
			header = sent(&v, header)
		}
		if got := header["RateLimit-Policy"]; got != want {
			t.Errorf("spent %d: got %q, want %q", spent, got, want)
		}
	}
}

// What others have set is kept where it says more, and never breaks ours.
func TestForeignFields(t *testing.T) {
	e := newEngine()
	e.spent["three one"] = 3
	g := guard.New("test", e, three, one, guard.Headers(guard.Legacy))
	for had, want := range map[string]string{"3600": "3600", "2": "7", "Wed, 21 Oct 2026 07:28:00 GMT": "7"} {
		v := g.Judge(request{})
		got := sent(&v, map[string]string{"Retry-After": had, "X-RateLimit-Remaining": "many", "Cache-Control": "public"})
		if got["Retry-After"] != want || got["X-RateLimit-Remaining"] != "0" || got["Cache-Control"] != "no-store" {
			t.Errorf("%s: got %q", had, got)
		}
	}
}

// The header of net/http has the same lines under names of its own case.
func TestApplyTo(t *testing.T) {
	for _, dialects := range [][]guard.Dialect{{guard.Draft11, guard.Legacy}, {guard.Draft06}, {guard.Draft07}} {
		g := guard.New("test", newEngine(), three, one, guard.Headers(dialects...))
		v := g.Judge(request{})
		lines := map[string][]string{}
		v.ApplyTo(lines)
		for name, value := range sent(&v, nil) {
			if got := lines[mime(name)]; len(got) != 1 || got[0] != value {
				t.Errorf("%s: got %q, want %q", name, got, value)
			}
		}
	}
}
