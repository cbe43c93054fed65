package main

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestRotationInterleaves(t *testing.T) {
	var got []string
	for turn := range rotation(2, []cell{{Callers: 1}, {Callers: 8}}, []contender{{name: "A"}, {name: "B"}}) {
		got = append(got, fmt.Sprintf("%d:%d%s", turn.round, turn.cell.Callers, turn.name))
	}
	want := []string{"0:1A", "0:1B", "0:8A", "0:8B", "1:1A", "1:1B", "1:8A", "1:8B"}
	if !slices.Equal(got, want) {
		t.Errorf("turns are %v, want %v", got, want)
	}
}

func TestCellsAreEveryCombination(t *testing.T) {
	o := options{links: []time.Duration{0, time.Millisecond}, keys: []int{10, 1}, callers: []int{1, 8}}
	got := o.cells()
	if len(got) != 8 || got[0] != (cell{0, 10, 1}) || got[7] != (cell{time.Millisecond, 1, 8}) {
		t.Errorf("cells are %v", got)
	}
}

func TestEveryContenderHasItsOwnName(t *testing.T) {
	all := names(contenders)
	slices.Sort(all)
	if once := slices.Compact(slices.Clone(all)); len(once) != len(all) {
		t.Errorf("names are not distinct: %v", all)
	}
	if !slices.Contains(all, base) {
		t.Errorf("%s, which all are compared with, is not among %v", base, all)
	}
}
