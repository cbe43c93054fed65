package main

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// Progress tells how far a run is: one line that is redrawn on a terminal, and a
// line for each tenth elsewhere. It is safe for concurrent use.
type progress struct {
	out      io.Writer
	terminal bool

	mu          sync.Mutex
	total, made int
	now         string
	said        int // percent
}

func newProgress(out io.Writer, jobs []job) *progress {
	p := &progress{out: out, terminal: isTerminal(out), said: -1}
	for _, j := range jobs {
		p.total += len(j.arrivals)
	}
	return p
}

func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p *progress) start(j job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = j.lane.Label + ", " + j.scenario.Title
	p.say(p.terminal)
}

func (p *progress) done(decisions int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made += decisions
	p.say(false)
}

func (p *progress) say(again bool) {
	percent := 100
	if p.total > 0 {
		percent = 100 * p.made / p.total
	}
	step := 10
	if p.terminal {
		step = 1
	}
	if percent -= percent % step; percent == p.said && !again {
		return
	}
	p.said = percent
	if p.terminal {
		fmt.Fprintf(p.out, "\r\x1b[K%3d %%  %s", percent, p.now)
	} else {
		fmt.Fprintf(p.out, "%3d %%  %s\n", percent, p.now)
	}
}

// end clears the line that was redrawn.
func (p *progress) end() {
	if p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
