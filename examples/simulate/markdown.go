package main

import (
	"fmt"
	"io"
	"strings"
)

// writeMarkdown prints the table to choose an algorithm by.
func writeMarkdown(w io.Writer, o outcome) error {
	fmt.Fprintln(w, "| algorithm | guarantee | worst case | honest clients get | bytes per key | Redis CPU | round trips | minimum server |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
	for _, s := range summaries(o.Results) {
		worst := fmt.Sprintf("%.2f L", s.Worst.Metrics.Peak)
		if s.Worst.Metrics.Peak > 1 {
			worst += " (" + s.worstUnder() + ")"
		}
		_, err := fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %.0f | %s |\n",
			code(s.Lane.Label), guarantee(s.Lane.Policy), worst, span(s.Low, s.High), size(s.Bytes), micros(s.CPU), s.RoundTrips, minimumServer(s.Lane.Policy))
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "\nOn %s; traffic: %s.\n", o.Server, o.Traffic)
	for _, note := range o.Notes {
		fmt.Fprintf(w, "\n%s\n", note)
	}
	return nil
}

// code sets the algorithm's name as code, and leaves its settings as text.
func code(label string) string {
	name, settings, more := strings.Cut(label, ", ")
	if more {
		return "`" + name + "`, " + settings
	}
	return "`" + name + "`"
}
