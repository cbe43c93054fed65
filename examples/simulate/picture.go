package main

import (
	"fmt"
	"io"
)

// writePicture draws the summary as one SVG file: what each algorithm admitted at
// worst, and what it denied without need.
func writePicture(w io.Writer, o outcome) error {
	const rowHeight, top = 26, 56
	all, c := summaries(o.Results), &canvas{}
	names, height := nameWidth(all), float64(top+rowHeight*len(all)+30)
	below := height - 24
	c.tag(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" role="img" aria-labelledby="t d">`, px(names+540), px(height))
	c.tag(`<title id="t">What each algorithm admits at worst, and what it denies without need</title>`)
	c.tag(`<desc id="d">%s</desc>`, escape(describeAll(all)))
	c.tag("<style>\n%s</style>", chartStyle)
	c.rect(0, 0, names+540, height, "paper")
	peaks := scale{c, names, names + 220, 1.1 * highest(all, 2, func(s summary) float64 { return s.Worst.Metrics.Peak })}
	wrong := scale{c, names + 300, names + 480, 1.1 * highest(all, 0.01, func(s summary) float64 { return s.Wrong })}
	peaks.head("most admitted in any window ÷ limit", below, 1, 2)
	wrong.head("denied although there was room", below)
	peaks.line(peaks.x(1), 46, peaks.x(1), below, "limit")
	for i, s := range all {
		y := float64(top + rowHeight*i)
		c.text(names-10, y+13, "name", "end", s.Lane.Label)
		peaks.bar(y, s.Worst.Metrics.Peak, fmt.Sprintf("%.2f", s.Worst.Metrics.Peak), s.Worst.Metrics.Peak > 1)
		wrong.bar(y, s.Wrong, percent(s.Wrong), false)
	}
	c.text(8, height-6, "caption", "start", fmt.Sprintf("Left: under any traffic, attackers too. Right: under honest traffic at its worst. Traffic: %s.", o.Traffic))
	c.tag(`</svg>`)
	_, err := io.WriteString(w, c.String())
	return err
}

// nameWidth is room for the longest label.
func nameWidth(all []summary) float64 {
	const character = 6.4
	return 24 + character*highest(all, 10, func(s summary) float64 { return float64(len(s.Lane.Label)) })
}

func highest(all []summary, least float64, of func(summary) float64) float64 {
	for _, s := range all {
		least = max(least, of(s))
	}
	return least
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

func (s scale) bar(y, value float64, label string, beyond bool) {
	class := "bar"
	if beyond {
		class = "bar beyond"
	}
	s.rect(s.left, y, s.x(value)-s.left, 18, class)
	s.text(s.x(value)+5, y+13, "value", "start", label)
}
