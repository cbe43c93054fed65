package main

import (
	"fmt"
	"math"
)

// The columns of every table.
const (
	perSecond = iota
	p50
	p99
	allocations
	allocated
	clientTime
	redisTime
	keyBytes
	columns
)

// figures are one value for each column.
type figures [columns]float64

// nothing is the figures of a contender that decided nothing.
func nothing() (f figures) {
	for c := range f {
		f[c] = unknown
	}
	return f
}

var heads = [columns]struct{ text, json string }{
	perSecond:   {"decisions/s", "decisions_per_second"},
	p50:         {"p50 µs", "p50_us"},
	p99:         {"p99 µs", "p99_us"},
	allocations: {"allocs", "allocations"},
	allocated:   {"bytes", "allocated_bytes"},
	clientTime:  {"client µs", "client_cpu_us"},
	redisTime:   {"Redis µs", "redis_cpu_us"},
	keyBytes:    {"bytes/key", "redis_bytes_per_key"},
}

// short writes v in at least three digits.
func short(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.Abs(v) < 9.995:
		return fmt.Sprintf("%.2f", v)
	case math.Abs(v) < 99.95:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
