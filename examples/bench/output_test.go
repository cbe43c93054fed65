package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// twoRows is a run in which one contender was twice as fast as base and another
// failed throughout.
func twoRows() *outcome {
	c := cell{Keys: 1, Callers: 256}
	return &outcome{Rig: "a <rig>", Setup: "one round", Notes: []string{"nobody is left out"}, Blocks: []*block{{Cell: c, Rows: []*row{
		{Contender: base, Rounds: rounds(100, 100, 100)},
		{Contender: "slidegate GCRA", Rounds: rounds(200, 190, 210)},
		{Contender: "broken", Rounds: []sample{failed(errors.New("no way"))}},
	}}}}
}

func TestText(t *testing.T) {
	var out bytes.Buffer
	if err := writeText(&out, twoRows()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a <rig>; one round", "loopback, one hot key, 256 callers", "(2.00)", `broken: 100% of its calls failed, the first with "no way".`, "nobody is left out"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("text lacks %q:\n%s", want, out.String())
		}
	}
}

// What is unknown is null: JSON has no NaN.
func TestJSON(t *testing.T) {
	var out bytes.Buffer
	if err := writeJSON(&out, twoRows()); err != nil {
		t.Fatal(err)
	}
	var got struct{ Cells []jsonBlock }
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	rows := got.Cells[0].Rows
	if r := rows[1].Ratio["decisions_per_second"]; r == nil || *r != 2 {
		t.Errorf("ratio is %v, want 2", r)
	}
	if v, there := rows[1].Median["p50_us"]; v != nil || !there {
		t.Errorf("p50 is %v, want null", v)
	}
	if rows[2].Errors != 1 || rows[2].Why != "no way" {
		t.Errorf("the broken row is %+v", rows[2])
	}
}

func TestPicture(t *testing.T) {
	text := draw(twoRows())
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"prefers-color-scheme: dark", "a &lt;rig&gt;", "slidegate GCRA: 2.00 times the decisions per second", "100% failed"} {
		if !strings.Contains(text, want) {
			t.Errorf("picture lacks %q", want)
		}
	}
	if strings.Contains(strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""), "http") {
		t.Error("picture names the network")
	}
}

func TestPicturedCell(t *testing.T) {
	for want, callers := range map[int][]int{256: {1, 256, 1024}, 64: {1, 64, 8}, 8: {8}} {
		var all []*block
		for _, n := range callers {
			all = append(all, &block{Cell: cell{Keys: 10, Callers: n}}, &block{Cell: cell{Keys: 1, Callers: 2 * n}})
		}
		if got := pictured(all).Cell; got != (cell{Keys: 10, Callers: want}) {
			t.Errorf("of %v callers, %v is drawn", callers, got)
		}
	}
}
