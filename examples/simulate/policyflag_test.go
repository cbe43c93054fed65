package main

import (
	"strings"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

func policyOf(limit int64, window time.Duration) core.Policy {
	return core.Policy{Name: "api", Limit: limit, Window: window}
}

func TestPolicyFlag(t *testing.T) {
	with := func(change func(*core.Policy)) core.Policy {
		p := policyOf(100, time.Minute)
		change(&p)
		return p
	}
	for text, want := range map[string]core.Policy{
		"api=100/1m":                            policyOf(100, time.Minute),
		"api=5/1.5s":                            policyOf(5, 1500*time.Millisecond),
		"api=100/1m,algorithm=sliding-log":      with(func(p *core.Policy) { p.Algorithm = core.SlidingLog }),
		"api=100/1m,algorithm=gcra,burst=20":    with(func(p *core.Policy) { p.Algorithm, p.Burst = core.GCRA, 20 }),
		"api=100/1m,subwindows=6,edge=weighted": with(func(p *core.Policy) { p.SubWindows, p.Edge = 6, core.Weighted }),
		"api=100/1m,edge=conservative":          policyOf(100, time.Minute),
		"api=100/1m,field-ttl=true":             with(func(p *core.Policy) { p.FieldTTL = true }),
		"api=100/1m,algorithm=adaptive-window,min-subwindows=4,narrow-above=9,widen-below=2": with(func(p *core.Policy) {
			p.Algorithm, p.MinSubWindows, p.NarrowAbove, p.WidenBelow = core.AdaptiveWindow, 4, 9, 2
		}),
		"api=100/1m,algorithm=layered-window,fine=5,coarse-limit=40,fine-limit=10": with(func(p *core.Policy) {
			p.Algorithm, p.FineWindows, p.CoarseLimit, p.FineLimit = core.LayeredWindow, 5, 40, 10
		}),
	} {
		got, err := parsePolicy(text)
		if err != nil || got.policy != want || got.every == strings.Contains(text, ",") {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestPolicyFlagSaysWhatIsAllowed(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "want name=LIMIT/WINDOW",
		"100/1m":                         "want name=LIMIT/WINDOW",
		"api=100":                        "want name=LIMIT/WINDOW",
		"api=many/1m":                    `limit "many" is no whole number`,
		"api=100/minute":                 `window "minute" is no duration`,
		"api=100/1m,":                    `"" is no field; want one of algorithm, burst`,
		"api=100/1m,bursts=3":            `"bursts" is no field; want one of algorithm, burst, subwindows, edge, fine, coarse-limit, fine-limit, min-subwindows, narrow-above, widen-below, field-ttl`,
		"api=100/1m,burst=x":             `burst is "x"; want a whole number`,
		"api=100/1m,burst":               `burst is ""; want a whole number`,
		"api=100/1m,subwindows=1.5":      `subwindows is "1.5"; want a whole number`,
		"api=100/1m,edge=soft":           `edge is "soft"; want conservative or weighted`,
		"api=100/1m,field-ttl=yes":       `field-ttl is "yes"; want true or false`,
		"api=100/1m,algorithm=best":      `algorithm is "best"; want sliding-window, sliding-log, compact-log, fixed-window, token-bucket, leaky-bucket, gcra, adaptive-window, layered-window`,
		"api=100/1m,fine=2,fine=3":       "fine is given twice",
		"api=99999999999999999999999/1m": "is no whole number",
	} {
		if _, err := parsePolicy(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}

// Every algorithm there is has a lane, or a policy without one would not try it.
func TestEveryAlgorithmHasALane(t *testing.T) {
	tried := map[core.Algorithm]bool{}
	for _, p := range variants {
		tried[p.Algorithm] = true
	}
	for a := core.Algorithm(0); !strings.HasPrefix(a.String(), "Algorithm("); a++ {
		if !tried[a] || guarantee(core.Policy{Algorithm: a}) == "" {
			t.Errorf("%v has no lane, or no guarantee", a)
		}
	}
}

// A lane that Validate refuses is left out, with its reason; one that the user
// spelled out is a mistake.
func TestLanes(t *testing.T) {
	run, out, err := lanes([]request{{policyOf(2_000_000, time.Minute), true}})
	if err != nil || len(run)+len(out) != len(variants) {
		t.Fatalf("%d lanes run and %d do not, %v; want %d in all", len(run), len(out), err, len(variants))
	}
	all := strings.Join(sentences(out), "\n")
	if !strings.Contains(all, "SlidingLog") || !strings.Contains(all, ": Limit is 2000000; want at most 1000000") {
		t.Errorf("no reason why there is no log of two million: %s", all)
	}
	spelled := policyOf(2_000_000, time.Minute)
	spelled.Algorithm = core.SlidingLog
	_, _, err = lanes([]request{{spelled, false}})
	if err == nil || err.Error() != spelled.Validate().Error() || exitCode(err) != 2 {
		t.Errorf("%v; want what Validate says, and exit code 2", err)
	}
}
