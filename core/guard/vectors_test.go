package guard_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
)

// vectors are the rows of headers.json.
type vectors struct {
	Rows []struct {
		ID        string
		Now       time.Time
		Decisions []struct {
			Policy struct {
				Name, Algorithm, Window string
				Limit, Burst            int64
			}
			Cost, Remaining int64
			Allowed         bool
			NextAfter       string `json:"next_after"`
			ResetAfter      string `json:"reset_after"`
			RetryAfter      string `json:"retry_after"`
		}
		Expect map[string]map[string]string
	}
}

var algorithms = map[string]core.Algorithm{"fixed-window": core.FixedWindow, "gcra": core.GCRA}

var dialects = map[string]guard.Dialect{
	"draft-11": guard.Draft11, "draft-07": guard.Draft07, "draft-06": guard.Draft06, "legacy": guard.Legacy,
}

func duration(t *testing.T, s string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/headers.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	for _, row := range v.Rows {
		var ds []core.Decision
		for _, d := range row.Decisions {
			ds = append(ds, core.Decision{
				Policy: core.Policy{Name: d.Policy.Name, Algorithm: algorithms[d.Policy.Algorithm],
					Limit: d.Policy.Limit, Burst: d.Policy.Burst, Window: duration(t, d.Policy.Window)},
				Cost: d.Cost, Allowed: d.Allowed, Remaining: d.Remaining, NextAfter: duration(t, d.NextAfter),
				ResetAfter: duration(t, d.ResetAfter), RetryAfter: duration(t, d.RetryAfter),
			})
		}
		if len(row.Expect) != len(dialects) {
			t.Errorf("%s: %d dialects, want %d", row.ID, len(row.Expect), len(dialects))
		}
		for name, want := range row.Expect {
			if got := maps.Collect(dialects[name].Fields(row.Now, ds...)); !maps.Equal(got, want) {
				t.Errorf("%s, %s:\n got %q\nwant %q", row.ID, name, got, want)
			}
		}
	}
	if len(v.Rows) < 7 {
		t.Errorf("only %d rows", len(v.Rows))
	}
}

// fields writes what Fields yields as lines, in order.
func fields(d guard.Dialect, now time.Time, ds ...core.Decision) (lines []string) {
	for name, value := range d.Fields(now, ds...) {
		lines = append(lines, name+": "+value)
	}
	return lines
}

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func TestFieldsBeyondTheVectors(t *testing.T) {
	minute := core.PerMinute("api", 100)
	bucket := core.Policy{Name: "b", Algorithm: core.TokenBucket, Limit: 3, Window: time.Second, Burst: 10}
	fraction := core.Policy{Name: "f", Limit: 5, Window: 1500 * time.Millisecond}
	denied := core.Decision{Policy: minute, Cost: 1, RetryAfter: 12 * time.Second, NextAfter: 12 * time.Second, ResetAfter: time.Minute}
	layers := core.Policy{Name: "l", Algorithm: core.LayeredWindow, Limit: 100, Window: time.Minute, FineLimit: 2}
	second := core.Decision{Policy: layers, Cost: 1, RetryAfter: 400 * time.Millisecond, NextAfter: 400 * time.Millisecond, ResetAfter: time.Minute}
	idle := core.Decision{Policy: layers, Allowed: true, Remaining: 2, ResetAfter: time.Minute}
	never := core.Decision{Policy: minute, Cost: 101, Remaining: 100, RetryAfter: core.Never}
	rows := []struct {
		about   string
		dialect guard.Dialect
		now     time.Time
		ds      []core.Decision
		want    []string
	}{
		{"whole allowance: no t", guard.Draft11, noon, []core.Decision{{Policy: minute, Allowed: true, Remaining: 100}},
			[]string{`RateLimit-Policy: "api";q=100;w=60`, `RateLimit: "api";r=100`}},
		{"cost above capacity: no Retry-After", guard.Draft11, noon, []core.Decision{never},
			[]string{`RateLimit-Policy: "api";q=100;w=60`, `RateLimit: "api";r=100`}},
		{"one never, one later: no Retry-After", guard.None, noon, []core.Decision{denied, never}, nil},
		{"None still sends Retry-After", guard.None, noon, []core.Decision{denied}, []string{"Retry-After: 12"}},
		{"at most Retry-After, also for a limit with room", guard.Draft11, noon,
			[]core.Decision{denied, {Policy: core.PerDay("day", 9), Allowed: true, Remaining: 3, NextAfter: time.Hour}},
			[]string{`RateLimit-Policy: "api";q=100;w=60, "day";q=9;w=86400`, `RateLimit: "api";r=0;t=12, "day";r=3;t=12`, "Retry-After: 12"}},
		{"fractional window, whole multiple", guard.Draft11, noon, []core.Decision{{Policy: fraction, Allowed: true, Remaining: 4, NextAfter: 1}},
			[]string{`RateLimit-Policy: "f";q=10;w=3`, `RateLimit: "f";r=4;t=1`}},
		{"3/s, burst 10", guard.Draft07, noon, []core.Decision{{Policy: bucket, Allowed: true, Remaining: 9}},
			[]string{"RateLimit: limit=12, remaining=9, reset=0", "RateLimit-Policy: 12;w=4"}},
		{"legacy limit is the capacity", guard.Legacy, noon, []core.Decision{{Policy: bucket, Allowed: true, Remaining: 9, ResetAfter: time.Second}},
			[]string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 1767268801"}},
		{"layers: the limit of the whole window", guard.Legacy, noon, []core.Decision{second},
			[]string{"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1767268801", "Retry-After: 1"}},
		{"layers: what the narrowest leaves", guard.Draft11, noon, []core.Decision{second},
			[]string{`RateLimit-Policy: "l";q=100;w=60`, `RateLimit: "l";r=0;t=1`, "Retry-After: 1"}},
		{"layers: all that one of them leaves, no t", guard.Draft11, noon, []core.Decision{idle},
			[]string{`RateLimit-Policy: "l";q=100;w=60`, `RateLimit: "l";r=2`}},
		{"layers: reset when nothing counts", guard.Draft07, noon, []core.Decision{idle},
			[]string{"RateLimit: limit=100, remaining=2, reset=60", "RateLimit-Policy: 100;w=60"}},
		{"layers: the same in three fields", guard.Draft06, noon, []core.Decision{idle},
			[]string{"RateLimit-Limit: 100", "RateLimit-Remaining: 2", "RateLimit-Reset: 60", "RateLimit-Policy: 100;w=60"}},
		{"legacy reset is the ceiling of the instant", guard.Legacy, noon.Add(600 * time.Millisecond),
			[]core.Decision{{Policy: minute, Allowed: true, ResetAfter: 300 * time.Millisecond}},
			[]string{"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1767268801"}},
		{"no numbers, no fields", guard.Legacy, noon, []core.Decision{{Policy: minute, Allowed: true, Degraded: core.FailedOpen}}, nil},
		{"closed: when to come back", guard.Draft11, noon,
			[]core.Decision{{Policy: minute, Degraded: core.FailedClosed, RetryAfter: time.Second}}, []string{"Retry-After: 1"}},
		{"nothing decided", guard.Draft11, noon, nil, nil},
	}
	for _, row := range rows {
		if got := fields(row.dialect, row.now, row.ds...); !slices.Equal(got, row.want) {
			t.Errorf("%s:\n got %q\nwant %q", row.about, got, row.want)
		}
	}
}

// Retry-After is never early, whatever the wait.
func TestRetryAfterRoundsUp(t *testing.T) {
	rows := map[time.Duration]string{
		-time.Second: "1", 0: "1", 1: "1", time.Microsecond: "1", 999 * time.Millisecond: "1", time.Second: "1",
		time.Second + time.Microsecond: "2", 366 * 24 * time.Hour: "31622400", core.Never - 1: "9223372037",
	}
	for wait, want := range rows {
		d := core.Decision{Policy: core.PerMinute("api", 1), Cost: 1, RetryAfter: wait}
		if got := fields(guard.None, noon, d); !slices.Equal(got, []string{"Retry-After: " + want}) {
			t.Errorf("%v: got %q, want %s", wait, got, want)
		}
	}
}

// Decisions that core never makes are written all the same, as far as a
// structured field can hold them.
func TestFieldsOfOddDecisions(t *testing.T) {
	huge := core.Policy{Name: "é\"\\\x7f", Algorithm: core.GCRA, Limit: 1 << 62, Burst: 1 << 62, Window: 1}
	got := fields(guard.Draft11, noon, core.Decision{Policy: huge, Allowed: true, Remaining: 1 << 62, NextAfter: core.Never})
	want := []string{`RateLimit-Policy: "??\"\\?";q=999999999999999;w=1`, `RateLimit: "??\"\\?";r=999999999999999;t=9223372037`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	fast := core.Policy{Name: "x", Limit: 1 << 50, Window: 7 * time.Microsecond}
	for _, d := range []guard.Dialect{guard.Draft11, guard.Draft07, guard.Draft06, guard.Legacy, guard.None, 99} {
		fields(d, noon, core.Decision{}, core.Decision{Policy: fast}, core.Decision{Policy: huge, Remaining: -1})
	}
}
