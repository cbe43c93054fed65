package scripts_test

import (
	"context"
	"fmt"
	"math/big"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/scripts"
)

func TestMain(m *testing.M) { coretest.Main(m) }

func TestEveryFileIsPartOfAScript(t *testing.T) {
	onDisk, err := filepath.Glob("*.lua")
	used := slices.Sorted(slices.Values(scripts.Files()))
	if err != nil || !slices.Equal(onDisk, used) {
		t.Errorf("on disk %q, used %q, %v", onDisk, used, err)
	}
}

// Every algorithm's file says what stands in Redis, when it goes and what it costs.
func TestHeaders(t *testing.T) {
	for file, words := range map[string][]string{
		"driver.lua":          {"KEYS", "ARGV", "Returns", "Clock", "Expiry", "Cost", "Idea"},
		"fixed_window.lua":    {"Key", "Fields", "Expiry", "Cost", "Idea"},
		"compact_log.lua":     {"Key", "Fields", "Expiry", "Cost", "Idea"},
		"sliding_log.lua":     {"Key", "Fields", "Expiry", "Cost", "Idea"},
		"sliding_window.lua":  {"Key", "Fields", "Expiry", "Cost", "Idea"},
		"field_window.lua":    {"Key", "Fields", "Expiry", "Cost", "Idea"},
		"adaptive_window.lua": {"Key", "Fields", "Expiry", "Cost", "Idea"},
		"layered_window.lua":  {"Key", "Fields", "Expiry", "Cost", "Idea"},
		"token_bucket.lua":    {"Key", "Fields", "Expiry", "Cost", "Idea"},
		"leaky_bucket.lua":    {"Key", "Fields", "Expiry", "Cost", "Idea"},
		"gcra.lua":            {"Key", "Fields", "Expiry", "Cost", "Idea"},
	} {
		for _, word := range words {
			if !regexp.MustCompile(`(?m)^-- ` + word + `[ \[]`).MatchString(scripts.Text(file)) {
				t.Errorf("%s: no line for %s", file, word)
			}
		}
	}
}

// What would lose digits, or write to a key that was not declared, is not there.
func TestWhatScriptsMustNotDo(t *testing.T) {
	for _, file := range scripts.Files() {
		code := scripts.Code(file)
		for _, word := range []string{"tostring", "struct.", "cmsgpack", "cjson", "bit.", "math.random", "replicate_commands", "loadstring"} {
			if strings.Contains(code, word) {
				t.Errorf("%s uses %s", file, word)
			}
		}
		if strings.Count(code, "'TIME'") > 0 && file != "driver.lua" {
			t.Errorf("%s reads a clock of its own", file)
		}
	}
}

var tags = map[scripts.Set]string{
	scripts.FixedWindow: "fw", scripts.SlidingLog: "sl", scripts.SlidingWindow: "sw", scripts.FieldWindow: "sf",
	scripts.AdaptiveWindow: "aw", scripts.LayeredWindow: "lw", scripts.TokenBucket: "tb", scripts.LeakyBucket: "lb",
	scripts.GCRA: "gc", scripts.CompactLog: "cl",
}

// A set is composed of what it needs and no more.
func TestComposition(t *testing.T) {
	seen := make(map[string]scripts.Set)
	for set := scripts.Set(1); set < scripts.Sets; set++ {
		script := scripts.For(set)
		if other, ok := seen[script.SHA]; ok {
			t.Fatalf("sets %b and %b are one script", other, set)
		}
		seen[script.SHA] = set
		for algorithm, tag := range tags {
			if has := strings.Contains(script.Source, "algorithms."+tag+" ="); has != (set&algorithm != 0) {
				t.Errorf("set %b: algorithms.%s in it: %v", set, tag, has)
			}
		}
	}
}

// The rate's arithmetic is exact at any size that Validate lets through, above
// all where a quotient rounds up to the next whole number.
func TestRateArithmeticIsExact(t *testing.T) {
	const call = `
local p = rate_policy(0, 0, 0, ARGV[1], ARGV[2], ARGV[3])
local n = units(p, tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]))
local us, part = span(p, tonumber(ARGV[7]))
return { format('%.0f', n), format('%.0f', us), format('%.0f', part) }`
	script := redis.NewScript(scripts.Code("prelude.lua") + scripts.Code("rate.lua") + call)
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		rdb := s.Client(t)
		rapid.Check(t, func(rt *rapid.T) {
			const exact = 1 << 52
			den := rapid.OneOf(rapid.Int64Range(1, 9), rapid.Int64Range(1, 1<<26)).Draw(rt, "den")
			whole := rapid.OneOf(rapid.Int64Range(1, 9), rapid.Int64Range(1, 1<<26)).Draw(rt, "whole")
			rest := rapid.SampledFrom([]int64{0, 1, den / 2, den - 1}).Draw(rt, "rest") % den
			most := min(exact/den, exact/(whole+1))
			n := rapid.OneOf(rapid.Int64Range(0, min(most, 9)), rapid.Int64Range(0, most), rapid.Just(most)).Draw(rt, "n")
			// Just before, at, or after the instant of n units.
			us, part := times(n, whole, rest, den)
			part += rapid.Int64Range(-1, 1).Draw(rt, "off by")
			us, part = us+floorDiv(part, den), mod(part, den)
			if us < 0 {
				us, part = 0, 0
			}
			got, err := script.Run(context.Background(), rdb, nil, whole, rest, den, us, part, most, n).StringSlice()
			if err != nil {
				rt.Fatal(err)
			}
			wantUS, wantPart := times(n, whole, rest, den)
			want := []string{fmt.Sprint(unitsIn(us, part, whole, rest, den, most)), fmt.Sprint(wantUS), fmt.Sprint(wantPart)}
			if strings.Join(got, " ") != strings.Join(want, " ") {
				rt.Fatalf("T = %d+%d/%d, time %d+%d/%d, %d units: got %q, want %q", whole, rest, den, us, part, den, n, got, want)
			}
		})
	})
}

// times is n·T as µs and a part, unitsIn the most units of at most limit whose
// time fits, both without rounding.
func times(n, whole, rest, den int64) (us, part int64) {
	ticks := new(big.Int).Mul(big.NewInt(n), period(whole, rest, den))
	q, r := new(big.Int).DivMod(ticks, big.NewInt(den), new(big.Int))
	return q.Int64(), r.Int64()
}

func unitsIn(us, part, whole, rest, den, limit int64) int64 {
	ticks := new(big.Int).Mul(big.NewInt(us), big.NewInt(den))
	ticks.Add(ticks, big.NewInt(part))
	return min(new(big.Int).Div(ticks, period(whole, rest, den)).Int64(), limit)
}

func period(whole, rest, den int64) *big.Int {
	p := new(big.Int).Mul(big.NewInt(whole), big.NewInt(den))
	return p.Add(p, big.NewInt(rest))
}

func mod(a, b int64) int64      { return ((a % b) + b) % b }
func floorDiv(a, b int64) int64 { return (a - mod(a, b)) / b }
