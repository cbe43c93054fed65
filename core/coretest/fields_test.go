package coretest

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/dunglas/httpsfv"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
)

// The library reads what package guard writes: it is another pair of eyes on
// RFC 9651. It is used here and not in the tests of guard, so that the modules
// of users do not carry it.

// Examples of the drafts (D), and edges of the format (P). Canonical text
// comes back as it was.
func TestFieldsOfTheDraftsRoundTrip(t *testing.T) {
	rows := map[string]struct{ lines, want string }{
		"D1":  {`"burst";q=100;w=60,"daily";q=1000;w=86400`, `"burst";q=100;w=60, "daily";q=1000;w=86400`},
		"D2":  {`"default";q=100;w=10`, ""},
		"D3":  {`"permin";q=50;w=60,"perhr";q=1000;w=3600`, `"permin";q=50;w=60, "perhr";q=1000;w=3600`},
		"D4":  {`"peruser";q=100;w=60;pk=:cHsdsRa894==:`, `"peruser";q=100;w=60;pk=:cHsdsRa89w==:`},
		"D5":  {`"peruser";q=65535;qu="content-bytes";w=10;pk=:sdfjLJUOUH==:`, `"peruser";q=65535;qu="content-bytes";w=10;pk=:sdfjLJUOUA==:`},
		"D6":  {`"default";r=50;t=30`, ""},
		"D7":  {`"default";r=999;pk=:dHJpYWwxMjEzMjM=:`, ""},
		"D8":  {`"default";r=300000000;t=60;pk=:QXBwLTk5OQ==:`, ""},
		"D9":  {`"hour";q=1000;w=3600, "day";q=5000;w=86400`, ""},
		"D11": {`"dynamic";q=15;w=20`, ""},
		"D13": {`10;w=1, 50;w=60, 1000;w=3600, 5000;w=86400`, ""},
		"D15": {`"api";user_id;method`, ""},
		"P1":  {`"a\"b\\c";r=1`, ""},
		"P3":  {`"a";q=999999999999999`, ""},
		"P5":  {`"default"; r=50; t=30`, `"default";r=50;t=30`},
		"P9":  {`"a";r=5;r=6`, `"a";r=6`},
		"P12": {`"a";r=1;x-foo=?1`, `"a";r=1;x-foo`},
	}
	for name, row := range rows {
		list, err := httpsfv.UnmarshalList([]string{row.lines})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := row.want
		if want == "" {
			want = row.lines
		}
		if got, err := httpsfv.Marshal(list); got != want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, want)
		}
	}
	dictionary, err := httpsfv.UnmarshalDictionary([]string{"limit=100, remaining=50, reset=5"}) // D12
	if got, _ := httpsfv.Marshal(dictionary); err != nil || got != "limit=100, remaining=50, reset=5" {
		t.Errorf("D12: got %s, %v", got, err)
	}
	for name, line := range map[string]string{"P6": `"default" ;r=50`, "P10": `"a";r=1,`, "P3+1": `"a";q=1000000000000000`} {
		if _, err := httpsfv.UnmarshalList([]string{line}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// limitSeen is what a client knows of a policy after reading RateLimit.
type limitSeen struct{ r, t int64 }

// readRateLimit is a client's reader of Draft11: a member that is not a String
// with r voids the field, as malformed text does. Lines are one list.
func readRateLimit(lines ...string) (map[string]limitSeen, error) {
	list, err := httpsfv.UnmarshalList(lines)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]limitSeen)
	for _, member := range list {
		item, isItem := member.(httpsfv.Item)
		name, isString := item.Value.(string)
		if !isItem || !isString {
			return nil, fmt.Errorf("a member that is no String: %v", member)
		}
		r, err := natural(item.Params, "r")
		if err != nil {
			return nil, err
		}
		t, err := natural(item.Params, "t")
		if _, given := item.Params.Get("t"); given && err != nil {
			return nil, err
		}
		seen[name] = limitSeen{r, t}
	}
	return seen, nil
}

func natural(params *httpsfv.Params, name string) (int64, error) {
	value, _ := params.Get(name)
	if n, ok := value.(int64); ok && n >= 0 {
		return n, nil
	}
	return 0, fmt.Errorf("%s is %v; want an Integer of 0 or more", name, value)
}

// Clients read what the drafts show, void what the format forbids, and read
// what guard writes as what was decided.
func TestClientsReadRateLimit(t *testing.T) {
	for name, row := range map[string]struct {
		lines []string
		want  map[string]limitSeen
	}{
		"D6":              {[]string{`"default";r=50;t=30`}, map[string]limitSeen{"default": {50, 30}}},
		"D7, no t":        {[]string{`"default";r=999;pk=:dHJpYWwxMjEzMjM=:`}, map[string]limitSeen{"default": {999, 0}}},
		"D9, binding one": {[]string{`"day";r=100;t=36000`}, map[string]limitSeen{"day": {100, 36000}}},
		"P5":              {[]string{`"default"; r=50; t=30`}, map[string]limitSeen{"default": {50, 30}}},
		"P6":              {[]string{`"default" ;r=50`}, nil},
		"P7, a Token":     {[]string{`default;r=50;t=30`}, nil},
		"P8, negative":    {[]string{`"a";r=-1`}, nil},
		"P8, decimal":     {[]string{`"a";r=1.5`}, nil},
		"P8, no r":        {[]string{`"a";t=5`}, nil},
		"P9":              {[]string{`"a";r=5;r=6`}, map[string]limitSeen{"a": {6, 0}}},
		"P10":             {[]string{`"a";r=1,`}, nil},
		"P11, two lines":  {[]string{`"a";r=1`, `"b";r=2;t=3`}, map[string]limitSeen{"a": {1, 0}, "b": {2, 3}}},
		"P12":             {[]string{`"a";r=1;x-foo=?1`}, map[string]limitSeen{"a": {1, 0}}},
	} {
		got, err := readRateLimit(row.lines...)
		if !maps.Equal(got, row.want) || (err == nil) != (row.want != nil) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, row.want)
		}
	}
}

// D10, P13: on a refusal Retry-After is a whole number and says the same
// instant as t. P2, P4: no policy has a name or a window that cannot be written.
func TestRefusalsSayOneInstant(t *testing.T) {
	p := core.Policy{Name: "default", Algorithm: core.FixedWindow, Limit: 10, Window: 10 * time.Second}
	for _, wait := range []time.Duration{1, time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second} {
		d := core.Decision{Policy: p, Cost: 1, RetryAfter: wait, NextAfter: wait, ResetAfter: wait}
		fields := maps.Collect(guard.Draft11.Fields(time.Now(), d))
		seen, err := readRateLimit(fields["RateLimit"])
		want := int64((wait + time.Second - 1) / time.Second)
		if err != nil || seen["default"] != (limitSeen{0, want}) || fields["Retry-After"] != fmt.Sprint(want) {
			t.Errorf("wait %v: %v, %v; want %d s in both", wait, fields, err, want)
		}
	}
	for _, change := range []func(*core.Policy){
		func(p *core.Policy) { p.Name = "é" }, func(p *core.Policy) { p.Name = "a\tb" }, func(p *core.Policy) { p.Name = "a\x7f" },
		func(p *core.Policy) { p.Window = 0 }, func(p *core.Policy) { p.Window = -time.Second },
	} {
		bad := p
		if change(&bad); bad.Validate() == nil {
			t.Errorf("%+v can be used", bad)
		}
	}
}

// The drafts' own examples are what we write for the policies they describe.
func TestFieldsWrittenAsInTheDrafts(t *testing.T) {
	in := func(name string, limit int64, window time.Duration) core.Policy {
		return core.Policy{Name: name, Algorithm: core.FixedWindow, Limit: limit, Window: window}
	}
	allowed := func(p core.Policy, remaining int64, next time.Duration) core.Decision {
		return core.Decision{Policy: p, Allowed: true, Remaining: remaining, NextAfter: next, ResetAfter: next}
	}
	rows := []struct {
		name     string
		dialect  guard.Dialect
		field    string
		want     string
		decision []core.Decision
	}{
		{"D1", guard.Draft11, "RateLimit-Policy", `"burst";q=100;w=60, "daily";q=1000;w=86400`,
			[]core.Decision{allowed(in("burst", 100, time.Minute), 1, 1), allowed(in("daily", 1000, 24*time.Hour), 1, 1)}},
		{"D2", guard.Draft11, "RateLimit-Policy", `"default";q=100;w=10`, []core.Decision{allowed(in("default", 100, 10*time.Second), 1, 1)}},
		{"D6", guard.Draft11, "RateLimit", `"default";r=50;t=30`, []core.Decision{allowed(in("default", 100, time.Minute), 50, 30*time.Second)}},
		{"D11", guard.Draft11, "RateLimit", `"dynamic";r=0;t=20`, []core.Decision{{Policy: in("dynamic", 15, 20*time.Second), RetryAfter: 20 * time.Second, NextAfter: 20 * time.Second}}},
		{"D12", guard.Draft07, "RateLimit", "limit=100, remaining=50, reset=5", []core.Decision{allowed(in("default", 100, 10*time.Second), 50, 5*time.Second)}},
		{"D13", guard.Draft06, "RateLimit-Policy", "10;w=1, 50;w=60, 1000;w=3600, 5000;w=86400", []core.Decision{
			allowed(in("a", 10, time.Second), 1, 1), allowed(in("b", 50, time.Minute), 1, 1), allowed(in("c", 1000, time.Hour), 1, 1), allowed(in("d", 5000, 24*time.Hour), 1, 1)}},
		{"D14", guard.Draft06, "RateLimit-Policy", "10;w=60", []core.Decision{allowed(in("a", 10, time.Second), 2, 1), allowed(in("b", 10, time.Minute), 1, 1)}},
	}
	for _, row := range rows {
		if got := maps.Collect(row.dialect.Fields(time.Now(), row.decision...))[row.field]; got != row.want {
			t.Errorf("%s: got %s, want %s", row.name, got, row.want)
		}
	}
}

// Whatever a policy and its decision hold, what is written is canonical, says
// the right numbers, and q is never less than what may be left.
func TestFieldsAreCanonical(t *testing.T) {
	for _, algorithm := range []core.Algorithm{core.FixedWindow, core.GCRA} {
		for _, window := range []time.Duration{time.Millisecond, 1500 * time.Millisecond, time.Second, 7 * time.Second / 3, time.Hour, 366 * 24 * time.Hour} {
			for _, limit := range []int64{1, 7, 1000, 999_983} {
				p := core.Policy{Name: "A-z_9", Algorithm: algorithm, Limit: limit, Window: window.Truncate(time.Microsecond)}
				if algorithm == core.GCRA {
					p.Burst = limit * 3
				}
				checkCanonical(t, p)
			}
		}
	}
}

func checkCanonical(t *testing.T, p core.Policy) {
	t.Helper()
	d := core.Decision{Policy: p, Allowed: true, Remaining: p.Capacity(), NextAfter: time.Second}
	fields := maps.Collect(guard.Draft11.Fields(time.Now(), d, d))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		list, err := httpsfv.UnmarshalList([]string{fields[name]})
		if err != nil || len(list) != 2 {
			t.Fatalf("%+v: %s: %v", p, fields[name], err)
		}
		if again, _ := httpsfv.Marshal(list); again != fields[name] {
			t.Errorf("%+v: %s is canonically %s", p, fields[name], again)
		}
		item := list[0].(httpsfv.Item)
		if q, ok := item.Params.Get("q"); ok && (item.Value != p.Name || q.(int64) < p.Capacity()) {
			t.Errorf("%+v: %s holds less than %d", p, fields[name], p.Capacity())
		}
		if w, ok := item.Params.Get("w"); ok && w.(int64) < 1 {
			t.Errorf("%+v: %s", p, fields[name])
		}
	}
}

// What a library would cost in place of guard's own writer: see guard.writer.
func BenchmarkFieldByLibrary(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		params := httpsfv.NewParams()
		params.Add("r", int64(50))
		params.Add("t", int64(30))
		if s, err := httpsfv.Marshal(httpsfv.List{httpsfv.Item{Value: "default", Params: params}}); err != nil {
			b.Fatal(fmt.Sprint(s, err))
		}
	}
}

func BenchmarkFieldsByGuard(b *testing.B) {
	d := core.Decision{Policy: core.PerMinute("default", 100), Allowed: true, Remaining: 50, NextAfter: 30 * time.Second}
	now := time.Now()
	b.ReportAllocs()
	for b.Loop() {
		for name, value := range guard.Draft11.Fields(now, d) {
			_, _ = name, value
		}
	}
}
