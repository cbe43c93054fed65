package main

import (
	"fmt"
	"math"
	"strings"
)

// A summary is a lane over all scenarios.
type summary struct {
	Lane         lane
	Worst        result  // with the highest peak
	Low, High    float64 // throughput ÷ exact, over honest traffic
	Wrong        float64 // largest share of wrongly denied, over honest traffic
	RemainingOff int64
	Bytes        int64
	CPU          float64
	RoundTrips   float64
}

// summarizeLane takes the results of one lane.
func summarizeLane(results []result) summary {
	s := summary{Lane: results[0].Lane, Worst: results[0], Low: math.Inf(1)}
	var cpu, trips, decisions float64
	for _, r := range results {
		m := r.Metrics
		if m.Peak > s.Worst.Metrics.Peak {
			s.Worst = r
		}
		if !r.Scenario.Hostile {
			s.Low, s.High = min(s.Low, m.Throughput), max(s.High, m.Throughput)
			s.Wrong = max(s.Wrong, m.WrongShare)
		}
		s.RemainingOff, s.Bytes = max(s.RemainingOff, m.RemainingOff), max(s.Bytes, m.BytesPerKey)
		n := float64(m.Decisions)
		cpu, trips, decisions = cpu+m.RedisCPU*n, trips+m.RoundTrips*n, decisions+n
	}
	s.CPU, s.RoundTrips = cpu/max(1, decisions), trips/max(1, decisions)
	return s
}

// summaries are those of all lanes, in their order.
func summaries(results []result) (all []summary) {
	var lanes []lane
	byLane := map[lane][]result{}
	for _, r := range results {
		if byLane[r.Lane] == nil {
			lanes = append(lanes, r.Lane)
		}
		byLane[r.Lane] = append(byLane[r.Lane], r)
	}
	for _, l := range lanes {
		all = append(all, summarizeLane(byLane[l]))
	}
	return all
}

// byScenario are the results in groups of one scenario, in their order.
func byScenario(results []result) (groups [][]result) {
	at := map[string]int{}
	for _, r := range results {
		i, known := at[r.Scenario.Name]
		if !known {
			i = len(groups)
			at[r.Scenario.Name] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// What the columns of all tables are called, and what they mean.
var summaryHeads = []string{"algorithm", "peak ÷ limit", "worst under", "throughput ÷ exact", "wrongly denied", "Remaining off by", "bytes per key", "Redis CPU"}

var definitions = []struct{ Term, Meaning string }{
	{"peak ÷ limit", "the most units of one key admitted in any window (t − W, t], by the limit. TokenBucket, LeakyBucket and GCRA promise a rate and a burst, not a window: up to 2 is by design there, with the burst they have by default."},
	{"throughput ÷ exact", "units admitted, by what an exact log of the limit would have admitted of the same requests. In the summary: lowest to highest over the traffic of honest clients."},
	{"wrongly denied", "decisions that were denied although an exact log of what this same algorithm had admitted had room, by all decisions. In the summary: the most over the traffic of honest clients."},
	{"Remaining off by", "the largest difference, in units, between Remaining as answered and what an exact log of the admitted units leaves (0 where it holds more than the limit). Buckets and GCRA report their burst, which is something else by design."},
	{"bytes per key", "MEMORY USAGE of the largest key seen, name and all, on a real Redis. A dash on the embedded one: it keeps Go values, and their size says nothing about Redis."},
	{"Redis CPU", "µs of the server's main thread per decision, one decision a call, by INFO cpu; whatever else uses the server counts too. A dash on the embedded one, which has no such figure."},
}

// worstUnder is the traffic that got the most, where any got more than the limit.
func (s summary) worstUnder() string {
	if s.Worst.Metrics.Peak <= 1 {
		return "–"
	}
	return strings.ToLower(s.Worst.Scenario.Title)
}

func (s summary) cells() []string {
	return []string{
		s.Lane.Label,
		fmt.Sprintf("%.3f", s.Worst.Metrics.Peak), s.worstUnder(),
		span(s.Low, s.High), percent(s.Wrong), fmt.Sprint(s.RemainingOff),
		size(s.Bytes), micros(s.CPU),
	}
}

var resultHeads = []string{"algorithm", "offered", "admitted", "exact", "peak ÷ limit", "throughput ÷ exact", "wrongly denied", "Remaining off by", "bytes per key", "Redis CPU"}

func (r result) cells() []string {
	m := r.Metrics
	return []string{
		r.Lane.Label, fmt.Sprint(m.Offered), fmt.Sprint(m.Admitted), fmt.Sprint(m.Exact),
		fmt.Sprintf("%.3f", m.Peak), fmt.Sprintf("%.3f", m.Throughput), percent(m.WrongShare), fmt.Sprint(m.RemainingOff),
		size(m.BytesPerKey), micros(m.RedisCPU),
	}
}

func span(low, high float64) string {
	a, b := fmt.Sprintf("%.3f", low), fmt.Sprintf("%.3f", high)
	if a == b {
		return a
	}
	return a + "–" + b
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

func size(n int64) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprint(n)
}

func micros(µs float64) string {
	if µs == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f µs", µs)
}
