package main

import (
	"fmt"
	"io"
)

// writePicture draws the summary as one SVG file: what each algorithm admitted at
// worst, and what it denied without need.
func writePicture(w io.Writer, o outcome) error {
	const rowHeight, top, width = 26, 56, 760
	all, c := summaries(o.Results), &canvas{}
	height := top + rowHeight*len(all) + 30
	c.tag(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="t d">`, width, height)
	c.tag(`<title id="t">What each algorithm admits at worst, and what it denies without need</title>`)
	c.tag(`<desc id="d">%s</desc>`, escape(describeAll(all)))
	c.tag("<style>\n%s</style>", chartStyle)
	c.rect(0, 0, width, float64(height), "paper")
	peaks := scale{c, 220, 440, 2.2}
	wrong := scale{c, 520, 700, 1.1 * worstShare(all)}
	below := float64(height - 24)
	peaks.head("most admitted in any window ÷ limit", below, 1, 2)
	wrong.head("denied although there was room, %", below)
	peaks.line(peaks.x(1), 46, peaks.x(1), below, "limit")
	for i, s := range all {
		y := float64(top + rowHeight*i)
		c.text(210, y+13, "name", "end", s.Lane.Label)
		peaks.bar(y, s.Worst.Metrics.Peak, "%.2f", s.Worst.Metrics.Peak > 1)
		wrong.bar(y, 100*s.Wrong, "%.1f", false)
	}
	c.text(220, float64(height-6), "caption", "start", fmt.Sprintf("Left: under any traffic, attackers too. Right: under honest traffic at its worst. Seed %d.", o.Seed))
	c.tag(`</svg>`)
	_, err := io.WriteString(w, c.String())
	return err
}

// worstShare is the end of a scale of percentages, at least 1.
func worstShare(all []summary) (most float64) {
	for _, s := range all {
		most = max(most, 100*s.Wrong)
	}
	return max(1, most)
}

func describeAll(all []summary) (text string) {
	for _, s := range all {
		text += fmt.Sprintf("%s: at most %.2f times the limit in one window; at most %s of honest decisions denied although there was room. ", s.Lane.Label, s.Worst.Metrics.Peak, percent(s.Wrong))
	}
	return text
}

// A scale draws bars from left; right is where a value of top ends.
type scale struct {
	*canvas
	left, right, top float64
}

func (s scale) x(value float64) float64 {
	return s.left + (s.right-s.left)*min(value, s.top)/s.top
}

func (s scale) head(caption string, below float64, marks ...float64) {
	s.text(s.left, 20, "caption", "start", caption)
	for _, m := range append(marks, 0) {
		s.line(s.x(m), 46, s.x(m), below, "grid")
		s.text(s.x(m), 40, "tick", "middle", short(m))
	}
}

func (s scale) bar(y, value float64, form string, beyond bool) {
	class := "bar"
	if beyond {
		class = "bar beyond"
	}
	s.rect(s.left, y, s.x(value)-s.left, 18, class)
	s.text(s.x(value)+5, y+13, "value", "start", fmt.Sprintf(form, value))
}
