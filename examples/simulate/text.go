package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// writeText prints the summary, then a table for each scenario.
func writeText(w io.Writer, o outcome) error {
	writeHead(w, o)
	fmt.Fprintln(w, "\nOver all traffic")
	var rows [][]string
	for _, s := range summaries(o.Results) {
		rows = append(rows, s.cells())
	}
	writeTable(w, summaryHeads, rows)
	for _, group := range byScenario(o.Results) {
		fmt.Fprintf(w, "\n%s: %s\n", group[0].Scenario.Title, group[0].Scenario.About)
		rows = nil
		for _, r := range group {
			rows = append(rows, r.cells())
		}
		writeTable(w, resultHeads, rows)
	}
	fmt.Fprintln(w)
	for _, d := range definitions {
		fmt.Fprintf(w, "%s: %s\n", d.Term, d.Meaning)
	}
	return nil
}

func writeHead(w io.Writer, o outcome) {
	fmt.Fprintf(w, "Redis: %s\n", o.Server)
	for _, p := range o.Policies {
		fmt.Fprintf(w, "Limit: %s, %d per %s\n", p.Name, p.Limit, clock(p.Window))
	}
	fmt.Fprintf(w, "Traffic: %s\n", o.Traffic)
	for _, note := range o.Notes {
		fmt.Fprintln(w, note)
	}
}

func writeTable(w io.Writer, heads []string, rows [][]string) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, strings.Join(heads, "\t"))
	for _, cells := range rows {
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	t.Flush()
}
