package main

import (
	"encoding/json"
	"io"

	"github.com/slidegate/slidegate/core"
)

// A jsonResult is a result as -json prints it.
type jsonResult struct {
	Algorithm string      `json:"algorithm"`
	Scenario  string      `json:"scenario"`
	Policy    core.Policy `json:"policy"`
	Metrics
}

func writeJSON(w io.Writer, o outcome) error {
	list := make([]jsonResult, len(o.Results))
	for i, r := range o.Results {
		list[i] = jsonResult{r.Lane.Label, r.Scenario.Name, r.Lane.Policy, r.Metrics}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Seed    uint64       `json:"seed"`
		Server  string       `json:"server"`
		Notes   []string     `json:"notes"`
		Results []jsonResult `json:"results"`
	}{o.Seed, o.Server, o.Notes, list})
}
