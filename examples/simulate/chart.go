package main

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A canvas collects SVG. Colours come from the classes of style.css, so that
// they follow the reader's light or dark scheme.
type canvas struct{ strings.Builder }

func (c *canvas) tag(format string, args ...any) { fmt.Fprintf(c, format+"\n", args...) }

func (c *canvas) text(x, y float64, class, anchor, text string) {
	c.tag(`<text x="%s" y="%s" class="%s" text-anchor="%s">%s</text>`, px(x), px(y), class, anchor, escape(text))
}

func (c *canvas) line(x1, y1, x2, y2 float64, class string) {
	c.tag(`<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, px(x1), px(y1), px(x2), px(y2), class)
}

func (c *canvas) rect(x, y, w, h float64, class string) {
	c.tag(`<rect x="%s" y="%s" width="%s" height="%s" class="%s"/>`, px(x), px(y), px(w), px(h), class)
}

// px is a length to a tenth of a pixel.
func px(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder never fails
	return b.String()
}

// A panel is a pair of axes on a canvas: times from 0 to span across, values from
// 0 to top upwards.
type panel struct {
	*canvas
	left, right, above, below float64
	span                      time.Duration
	top                       float64
}

func (p panel) x(at time.Duration) float64 {
	return p.left + (p.right-p.left)*float64(min(max(at, 0), p.span))/float64(p.span)
}

// y is the height of a value; one above the top is cut off there.
func (p panel) y(value float64) float64 {
	return p.below - (p.below-p.above)*min(value, p.top)/p.top
}

// steps draws one value per bin, as an outline or, where closed, as an area.
func (p panel) steps(values []float64, class string, closed bool) {
	var d strings.Builder
	wide := (p.right - p.left) / float64(len(values))
	start, last := values[0], ""
	if closed {
		start = 0
	}
	fmt.Fprintf(&d, "M%s %s", px(p.left), px(p.y(start)))
	for i, v := range values {
		if y := px(p.y(v)); y != last {
			fmt.Fprintf(&d, "H%sV%s", px(p.left+float64(i)*wide), y)
			last = y
		}
	}
	fmt.Fprintf(&d, "H%s", px(p.right))
	if closed {
		fmt.Fprintf(&d, "V%sZ", px(p.below))
	}
	p.tag(`<path d="%s" class="%s"/>`, d.String(), class)
}

// frame draws the axes, with a label for each value given.
func (p panel) frame(caption string, values ...float64) {
	p.text(p.left, p.above-6, "caption", "start", caption)
	p.line(p.left, p.below, p.right, p.below, "axis")
	for _, v := range append(values, 0) {
		p.line(p.left, p.y(v), p.right, p.y(v), "grid")
		p.text(p.left-4, p.y(v)+4, "tick", "end", short(v))
	}
}

// times labels the axis of time.
func (p panel) times(window time.Duration) {
	step := tickStep(p.span, window)
	for at := time.Duration(0); at <= p.span; at += step {
		anchor := "middle"
		switch {
		case at == 0:
			anchor = "start"
		case p.x(at) > p.right-12:
			anchor = "end"
		}
		p.line(p.x(at), p.below, p.x(at), p.below+3, "axis")
		p.text(p.x(at), p.below+15, "tick", anchor, clock(at))
	}
}

// tickStep is a whole number of windows, or a round time where the span is less.
func tickStep(span, window time.Duration) time.Duration {
	if span < 2*window {
		return max(span/4, 1)
	}
	step := window
	for i := 0; span/step > 6; i++ {
		step *= []time.Duration{2, 5}[i%2]
		if i%2 == 1 {
			step /= 2
		}
	}
	return step
}

// clock is d without the zeros of String: 2m, not 2m0s.
func clock(d time.Duration) string {
	text := d.Round(max(time.Microsecond, d/1000).Truncate(time.Microsecond)).String()
	if d >= time.Minute {
		text = strings.TrimSuffix(text, "0s")
	}
	if d >= time.Hour {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// short is v in as few characters as an axis has room for.
func short(v float64) string {
	unit := ""
	for _, u := range []struct {
		from, size float64
		name       string
	}{{1e12, 1e12, "T"}, {1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}} {
		if v >= u.from {
			v, unit = v/u.size, u.name
			break
		}
	}
	return strconv.FormatFloat(round(v), 'f', -1, 64) + unit
}

// round cuts v to three digits.
func round(v float64) float64 {
	if v <= 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-2)
	if unit > 1 {
		return math.Floor(v/unit+1e-9) * unit
	}
	return math.Floor(v/unit+1e-9) / math.Round(1/unit)
}

const chartWidth, chartHeight = 360, 236

// draw is the chart of a result: above what was admitted each second, offered
// and the limit beside it; below how full the fullest window was.
func draw(id string, r result) string {
	s, c := r.Series, &canvas{}
	c.tag(`<svg viewBox="0 0 %d %d" role="img" aria-labelledby="%s-t %s-d">`, chartWidth, chartHeight, id, id)
	c.tag(`<title id="%s-t">%s against %s</title>`, id, escape(r.Lane.Label), escape(r.Scenario.Title))
	c.tag(`<desc id="%s-d">%s</desc>`, id, escape(describe(r)))
	upper := panel{c, 38, chartWidth - 6, 22, 100, s.duration, s.rateTop()}
	lower := panel{c, 38, chartWidth - 6, 126, 212, s.duration, max(2.6, 1.3*r.Metrics.Peak) * float64(s.limit)}
	shade := "worst"
	if r.Metrics.Peak > 1 {
		shade = "worst over"
	}
	for _, p := range []panel{upper, lower} {
		p.rect(p.x(s.from), p.above, p.x(s.to)-p.x(s.from), p.below-p.above, shade)
	}
	s.drawRates(upper)
	s.drawHeld(lower)
	lower.times(s.window)
	s.mark(lower, r.Metrics.Peak)
	c.tag(`</svg>`)
	return c.String()
}

func describe(r result) string {
	m := r.Metrics
	return fmt.Sprintf("%d of %d units admitted; the fullest window, ending at %s, held %d units, %.3f times the limit.",
		m.Admitted, m.Offered, clock(m.PeakEnd), m.PeakUnits, m.Peak)
}

// rate is the limit in units per second.
func (s series) rate() float64 { return float64(s.limit) / s.window.Seconds() }

// rateTop leaves room for all that was admitted, not for all that was offered.
func (s series) rateTop() float64 {
	return 1.08 * max(slices.Max(s.admitted), 1.5*s.rate())
}

func (s series) drawRates(p panel) {
	caption := "admitted per second"
	if s.keys > 1 {
		caption += ", all clients"
	}
	p.frame(caption, p.top/1.08)
	p.steps(s.offered, "offered", true)
	p.steps(s.admitted, "admitted", true)
	if s.keys == 1 {
		p.line(p.left, p.y(s.rate()), p.right, p.y(s.rate()), "limit")
	}
	if most := slices.Max(s.offered); most > p.top {
		p.text(p.right, p.above-6, "tick", "end", "offered: up to "+short(most)+"/s")
	}
}

func (s series) drawHeld(p panel) {
	caption := "in the last " + clock(s.window)
	if s.keys > 1 {
		caption += ", worst client"
	}
	limit := float64(s.limit)
	p.frame(caption, limit, 2*limit)
	values := make([]float64, len(s.held))
	for i, v := range s.held {
		values[i] = float64(v)
	}
	p.steps(values, "held", false)
	p.line(p.left, p.y(limit), p.right, p.y(limit), "limit")
}

// mark writes how full the worst window was at the top of it, where the panel
// keeps room.
func (s series) mark(p panel, peak float64) {
	const half = 40
	middle := (p.x(s.from) + p.x(s.to)) / 2
	p.text(min(max(middle, p.left+half), p.right-half), p.above+12, "peak", "middle", fmt.Sprintf("%.3f × limit", peak))
}
