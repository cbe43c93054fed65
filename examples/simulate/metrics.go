package main

import "time"

// A verdict is what became of one arrival.
type verdict struct {
	arrival
	allowed   bool
	remaining int64 // what the limiter said was left after it
}

// Metrics compare what one policy admitted with an exact log. Units are what the
// limit counts. The JSON names are part of the program's output.
type Metrics struct {
	Decisions     int64         `json:"decisions"`
	Offered       int64         `json:"offered_units"`
	Admitted      int64         `json:"admitted_units"`
	Exact         int64         `json:"exact_units"`                // an exact log would have admitted, on the same arrivals
	PeakUnits     int64         `json:"peak_units"`                 // most admitted in any (t-Window, t], of one key
	Peak          float64       `json:"peak_over_limit"`            // PeakUnits ÷ Limit
	PeakEnd       time.Duration `json:"peak_end_ns"`                // t, since the start
	PeakKey       int           `json:"-"`                          // whose it was
	Throughput    float64       `json:"throughput_over_exact"`      // Admitted ÷ Exact
	WronglyDenied int64         `json:"wrongly_denied"`             // although an exact log of what it admitted had room
	WrongShare    float64       `json:"wrongly_denied_share"`       // WronglyDenied ÷ Decisions
	RemainingOff  int64         `json:"largest_error_of_remaining"` // units, against that log
	Keys          int           `json:"keys"`                       // different ones
	RoundTrips    float64       `json:"round_trips_per_decision"`   // counted at the client
	BytesPerKey   int64         `json:"bytes_per_key,omitempty"`    // largest seen; 0 = not measured
	RedisCPU      float64       `json:"redis_cpu_us,omitempty"`     // per decision; 0 = not measured
	Late          bool          `json:"late,omitempty"`             // Redis may have let a key expire too early: run again on a calmer machine
}

// books are the logs of one key: what the policy admitted, and what an exact one
// would have.
type books struct{ own, exact exactLog }

// judge measures a history, oldest first.
func judge(history []verdict, limit int64, window time.Duration) Metrics {
	var m Metrics
	keys := map[int]*books{}
	for _, v := range history {
		b := keys[v.key]
		if b == nil {
			empty := exactLog{limit: limit, window: window.Microseconds()}
			b = &books{empty, empty}
			keys[v.key] = b
		}
		m.count(b, v)
	}
	m.Keys = len(keys)
	m.Peak = ratio(m.PeakUnits, limit)
	m.WrongShare = ratio(m.WronglyDenied, m.Decisions)
	if m.Throughput = ratio(m.Admitted, m.Exact); m.Admitted == m.Exact {
		m.Throughput = 1 // of nothing, too
	}
	return m
}

func (m *Metrics) count(b *books, v verdict) {
	now := v.at.Microseconds()
	m.Decisions++
	m.Offered += v.cost
	if b.exact.allow(now, v.cost) {
		m.Exact += v.cost
	}
	switch {
	case v.allowed:
		m.admit(b, v)
	case b.own.fits(now, v.cost):
		m.WronglyDenied++
	}
	m.RemainingOff = max(m.RemainingOff, distance(v.remaining, b.own.left(now)))
}

func (m *Metrics) admit(b *books, v verdict) {
	now := v.at.Microseconds()
	units := b.own.used(now) + v.cost
	b.own.add(now, v.cost)
	m.Admitted += v.cost
	// Of equals, one that lies wholly in the run: a chart can show it.
	if units > m.PeakUnits || units == m.PeakUnits && m.PeakEnd.Microseconds() < b.own.window {
		m.PeakUnits, m.PeakEnd, m.PeakKey = units, v.at, v.key
	}
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

func ratio(a, b int64) float64 { return float64(a) / float64(max(1, b)) }
