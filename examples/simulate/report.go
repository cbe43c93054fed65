package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/slidegate/slidegate/core"
)

//go:embed report.html.tmpl
var pageText string

//go:embed style.css
var chartStyle string

//go:embed page.css
var pageStyle string

var page = template.Must(template.New("report").Funcs(template.FuncMap{"clock": clock}).Parse(pageText))

// An outcome is everything a run has to say.
type outcome struct {
	Seed     uint64
	Traffic  string // made up of a seed, or a trace
	Server   string
	Policies []core.Policy // name, limit and window of each -policy
	Notes    []string
	Results  []result
}

// A row of a table, with its chart where it has one.
type row struct {
	Cells   []string
	Beyond  bool // admitted more than the limit in one window
	Chart   template.HTML
	Caption string
}

type table struct {
	Heads []string
	Rows  []row
}

type section struct {
	scenario
	table
}

type pageData struct {
	outcome
	Style       template.CSS
	Summary     table
	Scenarios   []section
	Definitions any
}

// writeReport writes one page that needs nothing else: no script, no network.
func writeReport(w io.Writer, o outcome, keyName func(int) string) error {
	data := pageData{outcome: o, Style: template.CSS(chartStyle + pageStyle), Definitions: definitions}
	data.Summary.Heads = summaryHeads
	for _, s := range summaries(o.Results) {
		data.Summary.Rows = append(data.Summary.Rows, row{Cells: s.cells(), Beyond: s.Worst.Metrics.Peak > 1})
	}
	for i, group := range byScenario(o.Results) {
		data.Scenarios = append(data.Scenarios, sectionOf(i, group, keyName))
	}
	return page.Execute(w, data)
}

func sectionOf(number int, group []result, keyName func(int) string) section {
	s := section{group[0].Scenario, table{Heads: resultHeads}}
	for i, r := range group {
		s.Rows = append(s.Rows, row{
			Cells:  r.cells(),
			Beyond: r.Metrics.Peak > 1,
			// Made by this program, which escapes what it did not write itself.
			Chart:   template.HTML(draw(fmt.Sprintf("chart-%d-%d", number, i), r)),
			Caption: worstKey(r, keyName),
		})
	}
	return s
}

// worstKey says whose window was fullest, where there are several clients.
func worstKey(r result, keyName func(int) string) string {
	if r.Metrics.Keys < 2 {
		return ""
	}
	return fmt.Sprintf("Fullest window: %s, one of %d.", keyName(r.Metrics.PeakKey), r.Metrics.Keys)
}
