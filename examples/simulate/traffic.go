package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// An arrival is one request: so long after the start, by this client, for so
// many units.
type arrival struct {
	at   time.Duration // whole µs
	key  int
	cost int64
}

// A shape is what traffic is made to measure of: the limit it goes against.
type shape struct {
	limit    int64
	window   time.Duration
	parts    int64 // sub-windows, as an attacker knows them
	duration time.Duration
	clients  int // of the scenario with many
}

// A scenario is a kind of traffic. Its arrivals follow from shape and seed alone.
type scenario struct {
	Name, Title, About string
	Hostile            bool // made to break a limiter, not to pass one
	arrivals           func(shape, *rand.Rand) []arrival
}

var scenarios = []scenario{
	{"steady", "Steady", "One client, exactly at the limit, evenly spaced.", false, steady},
	{"poisson-0.8", "Poisson, 0.8 x", "One client at random instants, 0.8 times the limit on average.", false, poisson(0.8)},
	{"poisson-1.05", "Poisson, 1.05 x", "One client at random instants, 1.05 times the limit on average.", false, poisson(1.05)},
	{"poisson-1.5", "Poisson, 1.5 x", "One client at random instants, 1.5 times the limit on average.", false, poisson(1.5)},
	{"flash-sale", "Flash sale", "Quiet, then 50 times the limit within a thirtieth of the window, then ever less.", false, flashSale},
	{"boundary", "Boundary attacker", "The whole limit just before a boundary of the clock's windows, and again just after.", true, boundary},
	{"sub-window", "Sub-window attacker", "The whole limit at a sub-window's end, a knock at each later one's, and tries without pause while the window slides off the first.", true, subWindow},
	{"many", "Many small clients", "Clients of very different sizes, all well below the limit, who sometimes burst.", false, manyClients},
}

// generate returns the arrivals of s in order. Each scenario has its own stream
// of chance, so that leaving one out changes no other.
func (s scenario) generate(sh shape, seed uint64) []arrival {
	name := fnv.New64a()
	name.Write([]byte(s.Name))
	list := s.arrivals(sh, rand.New(rand.NewPCG(seed, name.Sum64())))
	slices.SortStableFunc(list, func(a, b arrival) int { return int(a.at - b.at) })
	for i, a := range list {
		list[i].at = a.at.Truncate(time.Microsecond)
	}
	end, _ := slices.BinarySearchFunc(list, sh.duration, func(a arrival, end time.Duration) int { return int(a.at - end) })
	return list[:end]
}

// most is how many requests a window's limit is at most made of. Larger limits
// are spent by requests of several units, so that a run ends.
const most = 200

func (sh shape) cost() int64 { return (sh.limit + most - 1) / most }

// requests is how many requests use up the limit.
func (sh shape) requests() int { return int(sh.limit / sh.cost()) }

// gap is the time from one request to the next at the limit's own rate.
func (sh shape) gap() float64 {
	return float64(sh.window) * float64(sh.cost()) / float64(sh.limit)
}

// width is a sub-window's.
func (sh shape) width() time.Duration { return sh.window / time.Duration(sh.parts) }

// burst is n requests of client 0 in [from, from+span), evenly.
func (sh shape) burst(from, span time.Duration, n int) []arrival {
	list := make([]arrival, n)
	for i := range list {
		list[i] = arrival{from + span*time.Duration(i)/time.Duration(n), 0, sh.cost()}
	}
	return list
}

// random is requests of client key at random instants in [from, to), so many a
// gap on average.
func (sh shape) random(r *rand.Rand, key int, from, to time.Duration, times float64) (list []arrival) {
	at := float64(from)
	for {
		at += r.ExpFloat64() * sh.gap() / times
		if at >= float64(to) {
			return list
		}
		list = append(list, arrival{time.Duration(at), key, sh.cost()})
	}
}

func steady(sh shape, _ *rand.Rand) []arrival {
	windows := sh.duration/sh.window + 1
	var list []arrival
	for w := range windows {
		list = append(list, sh.burst(w*sh.window, sh.window, sh.requests())...)
	}
	return list
}

func poisson(times float64) func(shape, *rand.Rand) []arrival {
	return func(sh shape, r *rand.Rand) []arrival {
		return sh.random(r, 0, 0, sh.duration, times)
	}
}

// Flash sale, in windows: quiet for one, a rush, and a decay to the end.
func flashSale(sh shape, r *rand.Rand) []arrival {
	const rush, calm = 50, 0.05
	start, span := sh.window, sh.window/30
	list := sh.random(r, 0, 0, start, calm)
	list = append(list, sh.burst(start, span, rush*sh.requests())...)
	step := sh.window / 20
	for from := start + span; from < sh.duration; from += step {
		times := calm + 4*math.Exp(-1.5*float64(from-start)/float64(sh.window))
		list = append(list, sh.random(r, 0, from, from+step, times)...)
	}
	return list
}

// At every second boundary: at each, the first half would find its window spent.
func boundary(sh shape, _ *rand.Rand) (list []arrival) {
	span := max(sh.window/6000, time.Microsecond)
	for at := sh.window; at < sh.duration; at += 2 * sh.window {
		list = append(list, sh.burst(at-span, span, sh.requests())...)
		list = append(list, sh.burst(at, span, sh.requests())...)
	}
	return list
}

// A weighted edge takes the oldest sub-window for evenly spent and lets it go bit
// by bit, though all of it was spent at its very end: whoever tries often enough
// has the whole limit again before the first has left.
func subWindow(sh shape, _ *rand.Rand) (list []arrival) {
	width, n := sh.width(), sh.requests()
	span := max(width/50, time.Microsecond)
	for start := time.Duration(0); start < sh.duration; start += 2 * (sh.window + width) {
		end := start + width
		list = append(list, sh.burst(end-span, span, n)...)
		for knock := max(sh.window/60, width); knock < sh.window; knock += max(sh.window/60, width) {
			list = append(list, sh.burst(end+knock-span, span, 1)...)
		}
		list = append(list, sh.burst(start+sh.window, width, 4*n)...)
		list = append(list, sh.burst(end+sh.window-span, 2*span, n)...)
	}
	return list
}

// The largest client is at half its limit, the k-th at a k-th of that. One request
// in fifty opens a burst of a fifth of the limit.
func manyClients(sh shape, r *rand.Rand) (list []arrival) {
	for key := range sh.clients {
		list = append(list, sh.random(r, key, 0, sh.duration, 0.5/float64(key+1))...)
	}
	for _, a := range slices.Clone(list) {
		if r.IntN(50) > 0 {
			continue
		}
		for _, b := range sh.burst(a.at, sh.window/60, sh.requests()/5) {
			list = append(list, arrival{b.at, a.key, b.cost})
		}
	}
	return list
}
