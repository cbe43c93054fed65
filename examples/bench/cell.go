package main

import (
	"fmt"
	"iter"
	"time"
)

// A cell is what a table is about: a load that all contenders get.
type cell struct {
	Link    time.Duration `json:"link_ns_each_way"`
	Keys    int           `json:"keys"`
	Callers int           `json:"callers"`
}

func (c cell) String() string {
	keys, callers, link := fmt.Sprintf("%d keys", c.Keys), fmt.Sprintf("%d callers", c.Callers), "loopback"
	if c.Keys == 1 {
		keys = "one hot key"
	}
	if c.Callers == 1 {
		callers = "1 caller"
	}
	if c.Link > 0 {
		link = fmt.Sprintf("%v more each way", c.Link)
	}
	return link + ", " + keys + ", " + callers
}

func (o *options) cells() (all []cell) {
	for _, l := range o.links {
		for _, k := range o.keys {
			for _, c := range o.callers {
				all = append(all, cell{l, k, c})
			}
		}
	}
	return all
}

// A turn is one contender in one cell.
type turn struct {
	round int
	cell  cell
	contender
}

// rotation is the order of a run: A B C … in a cell, then the next cell, and when
// all are through the next round. Those compared run within seconds of each other,
// and what slows the machine for a minute spoils one round, not one contender.
func rotation(rounds int, cells []cell, all []contender) iter.Seq[turn] {
	return func(yield func(turn) bool) {
		for r := range rounds {
			for _, c := range cells {
				for _, who := range all {
					if !yield(turn{r, c, who}) {
						return
					}
				}
			}
		}
	}
}
