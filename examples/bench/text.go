package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// writeText prints a table for each cell, then what is to be known about it.
func writeText(out io.Writer, o *outcome) error {
	t := &page{tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)}
	t.line("%s; %s", o.Rig, o.Setup)
	t.line("In brackets: as a multiple of %s in the same round. Medians of the rounds. Machines differ and have neighbours; compare within one run.", base)
	t.checks(o.Checks)
	for _, b := range o.Blocks {
		t.block(b)
	}
	t.line("")
	for _, n := range o.Notes {
		t.line("%s", n)
	}
	return t.Flush()
}

// A page is text in columns. Lines that are not cells end a table.
type page struct{ *tabwriter.Writer }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *page) cells(all ...string) { fmt.Fprintln(p, strings.Join(all, "\t")+"\t") }

func (p *page) checks(all []checked) {
	p.line("\nLimit of %d, asked %d times by %d callers at once:", checkLimit, checkCalls, checkCallers)
	for _, c := range all {
		admitted := fmt.Sprintf("%d admitted", c.Check.Admitted)
		if c.Check.Errors > 0 {
			admitted += fmt.Sprintf(", %d errors", c.Check.Errors)
		}
		p.line("  %-26s %-28s %s %s", c.Name, admitted, c.Module, c.Version)
	}
}

func (p *page) block(b *block) {
	p.line("\n%s", b.Cell)
	head := []string{fmt.Sprintf("%-26s", "contender")}
	for _, h := range heads {
		head = append(head, h.text, "")
	}
	p.cells(append(head, "admitted", "errors")...)
	for _, r := range b.Rows {
		p.row(b, r)
	}
	p.reasons(b)
}

func (p *page) row(b *block, r *row) {
	values, times := medians(r.Rounds), ratios(r.Rounds, b.base().Rounds)
	line := []string{fmt.Sprintf("%-26s", r.Contender)}
	for c := range values {
		line = append(line, short(values[c]), "("+short(times[c])+")")
	}
	share, _ := r.trouble()
	p.cells(append(line, percent(r.admitted()), percent(share))...)
}

// reasons says why calls failed, under the table they are missing from.
func (p *page) reasons(b *block) {
	for _, r := range b.Rows {
		if share, why := r.trouble(); share > 0 {
			p.line("%s: %s of its calls failed, the first with %q.", r.Contender, percent(share), why)
		}
	}
}

func percent(share float64) string {
	switch {
	case share != share:
		return "–"
	case share > 0 && share < 0.001:
		return "<0.1%"
	}
	return fmt.Sprintf("%.3g%%", 100*share)
}
