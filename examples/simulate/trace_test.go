package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestTrace(t *testing.T) {
	const text = "# our requests\r\n\n1767225600.25 ann\r\n  1767225600.250001\tbob \n2026-01-01T00:00:01.5Z ann\n2026-01-01T01:00:02+01:00 日本\n"
	got, err := readTrace("trace.txt", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []arrival{{0, 0, 1}, {time.Microsecond, 1, 1}, {1250 * time.Millisecond, 0, 1}, {1750 * time.Millisecond, 2, 1}}
	for i, a := range want {
		if got.arrivals[i] != a {
			t.Errorf("arrival %d is %+v; want %+v", i, got.arrivals[i], a)
		}
	}
	if strings.Join(got.keys, " ") != "ann bob 日本" || !got.first.Equal(time.Date(2026, 1, 1, 0, 0, 0, 250_000_000, time.UTC)) {
		t.Errorf("keys %q from %v", got.keys, got.first)
	}
}

// The windows of the clock lie in the simulation as they did in the recording.
func TestTraceKeepsItsPlaceInTheWindow(t *testing.T) {
	recorded, err := readTrace("x", strings.NewReader("2026-01-01T00:00:42.5Z a\n2026-01-01T00:01:10Z a\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := &play{job: recorded.job(lane{"x", policyOf(1, time.Minute)}, "x", 0)}
	for i, want := range []string{"42.5", "10"} {
		p.now = recorded.arrivals[i].at
		if got := p.time().Format("5.999"); got != want {
			t.Errorf("request %d plays at second %s of its minute; want %s", i, got, want)
		}
	}
}

func TestMalformedTraceNamesLineAndColumn(t *testing.T) {
	for text, want := range map[string]string{
		"1 a\n\n2":                      `t:3:2: no key follows the timestamp`,
		"1 a\n  soon b":                 `t:2:3: timestamp "soon" is neither RFC 3339 nor Unix seconds`,
		"1 a\n2 b  c":                   `t:2:6: "c" follows the key`,
		"1 日 c":                         `t:1:5: "c" follows the key`,
		"2 a\n1.5 a":                    `t:2:1: timestamp "1.5" goes back in time`,
		"2026-13-01T00:00:00Z a":        `t:1:1: timestamp "2026-13-01T00:00:00Z" is not RFC 3339`,
		"1767225600000 a":               `t:1:1: timestamp "1767225600000" is not between 1970 and 9999 (Unix times are in seconds)`,
		"99999999999999999999 a":        `t:1:1: timestamp "99999999999999999999" is not between`,
		"-1 a":                          `t:1:1: timestamp "-1" is neither`,
		"1. a":                          `t:1:1: timestamp "1." is neither`,
		"1.0e5 a":                       `t:1:1: timestamp "1.0e5" is neither`,
		"1969-12-31T23:59:59Z a":        `t:1:1: timestamp "1969-12-31T23:59:59Z" is not between`,
		"1 a\n2200-01-01T00:00:00Z b":   `t:2:1: timestamp "2200-01-01T00:00:00Z" is more than a hundred years after the first`,
		"1 a\x01b":                      `t:1:4: the key holds a character that cannot be printed`,
		"1 \xff":                        `t:1:3: the key holds a character that cannot be printed`,
		"":                              `t:1:1: the trace holds no request`,
		"# only this\n\n":               `t:3:1: the trace holds no request`,
		"1 " + strings.Repeat("x", 1e5): `t:1:1: the line is longer than 65536 bytes`,
	} {
		_, err := readTrace("t", strings.NewReader(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: %v; want %s", text, err, want)
		}
	}
}

// Whatever it is given, a trace is read in order or refused with a place in it.
func FuzzTrace(f *testing.F) {
	for _, seed := range []string{"1 a\n2 b", "2026-01-01T00:00:00Z a", "# x\n\n 3.5\tkey ", "1 a b", "9 a\n8 a", "1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readTrace("t", strings.NewReader(text))
		if err != nil {
			place, ok := errors.AsType[*traceError](err)
			if !ok || place.line < 1 || place.line > strings.Count(text, "\n")+2 || place.column < 1 || place.column > len(text)+1 {
				t.Fatalf("%v has no place in the trace", err)
			}
			return
		}
		for i, a := range got.arrivals {
			if a.at < 0 || i > 0 && a.at < got.arrivals[i-1].at || a.key >= len(got.keys) || a.at%time.Microsecond != 0 {
				t.Fatalf("arrival %d is %+v", i, a)
			}
		}
	})
}
