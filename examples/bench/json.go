package main

import (
	"encoding/json"
	"io"
	"math"
)

// writeJSON prints the medians, the ratios and the figures of each round.
func writeJSON(out io.Writer, o *outcome) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{
		"rig": o.Rig, "setup": o.Setup, "compared_with": base, "contenders": o.Checks, "cells": jsonBlocks(o.Blocks), "notes": o.Notes,
	})
}

type jsonRow struct {
	Contender string                `json:"contender"`
	Median    map[string]*float64   `json:"median"`
	Ratio     map[string]*float64   `json:"ratio"`
	Rounds    []map[string]*float64 `json:"rounds"`
	Admitted  *float64              `json:"admitted_share"`
	Errors    float64               `json:"error_share"`
	Why       string                `json:"first_error,omitempty"`
}

type jsonBlock struct {
	Cell cell      `json:"cell"`
	Rows []jsonRow `json:"rows"`
}

func jsonBlocks(all []*block) (list []jsonBlock) {
	for _, b := range all {
		j := jsonBlock{Cell: b.Cell}
		for _, r := range b.Rows {
			j.Rows = append(j.Rows, jsonOf(r, b.base()))
		}
		list = append(list, j)
	}
	return list
}

func jsonOf(r, base *row) jsonRow {
	j := jsonRow{Contender: r.Contender, Median: named(medians(r.Rounds)), Ratio: named(ratios(r.Rounds, base.Rounds))}
	for _, s := range r.Rounds {
		j.Rounds = append(j.Rounds, named(s.figures))
	}
	j.Admitted = known(r.admitted())
	j.Errors, j.Why = r.trouble()
	return j
}

// named gives each figure its name; null is one that is not known.
func named(f figures) map[string]*float64 {
	all := map[string]*float64{}
	for c, v := range f {
		all[heads[c].json] = known(v)
	}
	return all
}

func known(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
