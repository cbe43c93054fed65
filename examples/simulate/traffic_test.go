package main

import (
	"math"
	"slices"
	"testing"
	"time"
)

var minute = shape{limit: 100, window: time.Minute, parts: 60, duration: 6 * time.Minute, clients: 200}

// shapes are odd ones too: what divides by nothing, the shortest window, a limit
// that requests of one unit would take for ever to spend.
var shapes = []shape{
	minute,
	{limit: 1, window: time.Second, parts: 1, duration: 2 * time.Second, clients: 1},
	{limit: 7, window: time.Millisecond, parts: 50, duration: 3 * time.Millisecond, clients: 3},
	{limit: 999_983, window: 24 * time.Hour, parts: 60, duration: 72 * time.Hour, clients: 40},
}

func TestTrafficIsOrderedAndWithinTheRun(t *testing.T) {
	for _, s := range scenarios {
		for _, sh := range shapes {
			list := s.generate(sh, 1)
			if len(list) == 0 && sh.limit > 10 {
				t.Errorf("%s, %+v: no arrivals", s.Name, sh)
			}
			for i, a := range list {
				switch {
				case a.at < 0 || a.at >= sh.duration || a.at%time.Microsecond != 0:
					t.Fatalf("%s, %+v: arrival at %v", s.Name, sh, a.at)
				case i > 0 && a.at < list[i-1].at:
					t.Fatalf("%s, %+v: %v after %v", s.Name, sh, a.at, list[i-1].at)
				case a.cost < 1 || a.cost > sh.limit || a.key < 0 || a.key >= sh.clients:
					t.Fatalf("%s, %+v: %+v", s.Name, sh, a)
				}
			}
		}
	}
}

func TestSeedDecidesTheTraffic(t *testing.T) {
	random := map[string]bool{"poisson-0.8": true, "poisson-1.05": true, "poisson-1.5": true, "flash-sale": true, "many": true}
	for _, s := range scenarios {
		if !slices.Equal(s.generate(minute, 7), s.generate(minute, 7)) {
			t.Errorf("%s: two runs of one seed differ", s.Name)
		}
		if same := slices.Equal(s.generate(minute, 7), s.generate(minute, 8)); same == random[s.Name] {
			t.Errorf("%s: another seed, same traffic: %v", s.Name, same)
		}
	}
}

func TestTrafficHasTheRateItClaims(t *testing.T) {
	long := minute
	long.duration = 500 * time.Minute
	for name, want := range map[string]float64{"steady": 1, "poisson-0.8": 0.8, "poisson-1.05": 1.05, "poisson-1.5": 1.5} {
		got := float64(units(named(name).generate(long, 1), 0, long.duration)) / (500 * 100)
		if math.Abs(got-want) > 0.02*want {
			t.Errorf("%s: %.3f times the limit; want %v", name, got, want)
		}
	}
}

// However it is cut, no window of steady traffic holds more than the limit.
func TestSteadyIsWithinTheLimitEverywhere(t *testing.T) {
	for _, sh := range shapes {
		log := exactLog{limit: sh.limit, window: sh.window.Microseconds()}
		for _, a := range named("steady").generate(sh, 1) {
			if !log.allow(a.at.Microseconds(), a.cost) {
				t.Fatalf("%+v: over the limit at %v", sh, a.at)
			}
		}
	}
}

func TestFlashSale(t *testing.T) {
	list := named("flash-sale").generate(minute, 1)
	if quiet := units(list, 0, time.Minute); quiet > 15 {
		t.Errorf("%d units before the sale; want about 5", quiet)
	}
	if rush := units(list, time.Minute, time.Minute+2*time.Second); rush != 5000 {
		t.Errorf("%d units in the first two seconds; want 5000", rush)
	}
	early, late := units(list, 2*time.Minute, 3*time.Minute), units(list, 5*time.Minute, 6*time.Minute)
	if early <= late || late == 0 {
		t.Errorf("%d units in the third minute, %d in the last; want a decay", early, late)
	}
}

func TestBoundaryAttackerHasTheLimitOnBothSides(t *testing.T) {
	list := named("boundary").generate(minute, 1)
	for _, at := range []time.Duration{time.Minute, 3 * time.Minute, 5 * time.Minute} {
		before, after := units(list, at-10*time.Millisecond, at), units(list, at, at+10*time.Millisecond)
		if before != 100 || after != 100 {
			t.Errorf("%d units just before %v and %d just after; want 100 and 100", before, at, after)
		}
	}
}

func TestSubWindowAttackerKnowsTheWidth(t *testing.T) {
	for _, parts := range []int64{6, 60, 600} {
		sh := minute
		sh.parts = parts
		list, width := named("sub-window").generate(sh, 1), sh.width()
		if burst := units(list, width-width/50, width); burst != 100 {
			t.Errorf("%d parts: %d units at the first one's end; want 100", parts, burst)
		}
		if tries := units(list, time.Minute, time.Minute+width); tries < 400 {
			t.Errorf("%d parts: %d tries while the window slides off the first; want 400 and more", parts, tries)
		}
	}
}

func TestManyClientsAreEachBelowTheLimit(t *testing.T) {
	long := minute
	long.duration = 100 * time.Minute
	spent := map[int]int64{}
	for _, a := range named("many").generate(long, 1) {
		spent[a.key] += a.cost
	}
	if spent[0] < spent[9] || len(spent) != 200 {
		t.Errorf("the first of %d clients spent %d, the tenth %d", len(spent), spent[0], spent[9])
	}
	for key, n := range spent {
		if n > 85*100 {
			t.Errorf("client %d spends %d units in a hundred minutes; want well below 10,000", key, n)
		}
	}
}

func named(name string) scenario {
	return scenarios[slices.IndexFunc(scenarios, func(s scenario) bool { return s.Name == name })]
}

func units(list []arrival, from, to time.Duration) (n int64) {
	for _, a := range list {
		if from <= a.at && a.at < to {
			n += a.cost
		}
	}
	return n
}
