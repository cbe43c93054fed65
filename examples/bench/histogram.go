package main

import (
	"math/bits"
	"time"
)

// A histogram counts durations in buckets no wider than 1/32 of what they hold, so
// that a percentile is right to 3% and recording allocates nothing.
type histogram struct {
	counts [buckets]uint32
}

const (
	fine    = 32 // buckets to a doubling
	fineLog = 5
	buckets = fine * (64 - fineLog)
)

func bucketOf(d time.Duration) int {
	n := uint64(max(d, 0))
	if n < fine {
		return int(n)
	}
	shift := bits.Len64(n) - fineLog - 1
	return shift*fine + int(n>>shift)
}

// lowest is the least duration in bucket i.
func lowest(i int) time.Duration {
	if i < 2*fine {
		return time.Duration(i)
	}
	shift := i/fine - 1
	return time.Duration(i-shift*fine) << shift
}

func (h *histogram) record(d time.Duration) { h.counts[bucketOf(d)]++ }

func (h *histogram) add(other *histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
}

func (h *histogram) total() (n int64) {
	for _, c := range h.counts {
		n += int64(c)
	}
	return n
}

// quantile is the duration that a share q of all are no longer than, in
// microseconds; unknown of none.
func (h *histogram) quantile(q float64) (µs float64) {
	want, seen := q*float64(h.total()), 0.0
	for i, c := range h.counts {
		if seen += float64(c); c > 0 && seen >= want {
			return float64((lowest(i)+lowest(i+1))/2) / 1e3
		}
	}
	return unknown
}
