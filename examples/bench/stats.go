package main

import (
	"math"
	"slices"
)

// unknown stands for what was not or cannot be measured: a dash in a table and null
// in JSON.
var unknown = math.NaN()

// median passes over what is unknown.
func median(values []float64) float64 {
	known := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(known) == 0 {
		return unknown
	}
	slices.Sort(known)
	n := len(known)
	return (known[(n-1)/2] + known[n/2]) / 2
}

// ratio is a over b, unknown where that is no number.
func ratio(a, b float64) float64 {
	if r := a / b; !math.IsInf(r, 0) {
		return r
	}
	return unknown
}

// medians are those of each column over the rounds of a row.
func medians(rounds []sample) (f figures) {
	for c := range f {
		var values []float64
		for _, s := range rounds {
			values = append(values, s.figures[c])
		}
		f[c] = median(values)
	}
	return f
}

// ratios are the medians of what each round's figures are to those of base in the
// same round, so that a machine that slows down for a while does so for both.
func ratios(rounds, base []sample) (f figures) {
	for c := range f {
		var values []float64
		for i := range min(len(rounds), len(base)) {
			values = append(values, ratio(rounds[i].figures[c], base[i].figures[c]))
		}
		f[c] = median(values)
	}
	return f
}
