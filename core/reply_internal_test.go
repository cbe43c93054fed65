package core

import (
	"testing"

	"pgregory.net/rapid"
)

func twoCharges(t testing.TB) []charge {
	plan, err := newPlan(PerMinute("p", 10))
	if err != nil {
		t.Fatal(err)
	}
	return []charge{{plan, "k", 1}, {plan, "l", 1}}
}

func TestDecodeTakesTheExactShapeOnly(t *testing.T) {
	charges := twoCharges(t)
	good := []any{int64(7), int64(4 * 9), int64(5), int64(60), int64(1), int64(50), int64(60), int64(50)}
	ds, err := decode(good, 7, charges)
	if err != nil || !ds[0].Allowed || ds[0].Remaining != 9 || ds[1].Allowed || ds[1].RetryAfter != micros(50) {
		t.Fatalf("%+v, %v", ds, err)
	}
	with := func(i int, v any) []any {
		list := append([]any(nil), good...)
		list[i] = v
		return list
	}
	for name, reply := range map[string]any{
		"nothing":               nil,
		"text":                  "OK",
		"a number":              int64(1),
		"an empty list":         []any{},
		"a short list":          good[:7],
		"a long list":           append(append([]any(nil), good...), int64(0)),
		"another call's answer": with(0, int64(8)),
		"text for a number":     with(3, "60"),
		"nil for a number":      with(2, nil),
		"a double":              with(1, 3.5),
		"more than capacity":    with(1, int64(4*11)),
		"less than nothing":     with(1, int64(-4)),
		"next after reset":      with(2, int64(61)),
		"a negative next":       with(2, int64(-1)),
		"a denial without wait": with(7, int64(0)),
		"a wait below never":    with(7, int64(-2)),
		"1/0 of a script":       with(3, int64(-9223372036854775808)),
		"too long a wait":       with(7, int64(1)<<60),
	} {
		if ds, err := decode(reply, 7, charges); err == nil || ds != nil {
			t.Errorf("%s: %+v; want an error and no decision", name, ds)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{7, 36, 5, 60, 1, 50, 60, 50})
	f.Fuzz(func(t *testing.T, raw []byte) {
		list := make([]any, len(raw))
		for i, b := range raw {
			switch b % 16 {
			case 13:
				list[i] = nil
			case 14:
				list[i] = "text"
			case 15:
				list[i] = []any{int64(b)}
			default:
				list[i] = int64(b) - 2
			}
		}
		check(t, list)
	})
}

func TestDecodeAnything(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		check(rt, rapid.SliceOfN(rapid.Int64Range(-2, 60), 0, 12).Draw(rt, "numbers"))
	})
}

// check decodes and holds what comes out to what a Decision promises.
func check[T any](t interface{ Fatalf(string, ...any) }, list []T) {
	reply := make([]any, len(list))
	for i, v := range list {
		reply[i] = v
	}
	plan, _ := newPlan(PerMinute("p", 10))
	ds, err := decode(reply, 7, []charge{{plan, "k", 1}})
	if err != nil {
		return
	}
	d := ds[0]
	if d.Remaining < 0 || d.Remaining > 10 || d.Allowed != (d.RetryAfter == 0) || d.NextAfter > d.ResetAfter || d.Degraded != 0 {
		t.Fatalf("%v gave %+v", list, d)
	}
}
