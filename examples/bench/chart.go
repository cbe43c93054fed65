package main

import (
	_ "embed"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

//go:embed chart.css
var chartStyle string

const (
	rowHeight = 24
	top       = 88 // of the first row
	nameWidth = 190
	barWidth  = 210
	gap       = 100
)

// draw is throughput and Redis CPU of all contenders in one cell, against base.
func draw(o *outcome) string {
	b := pictured(o.Blocks)
	width, height := float64(nameWidth+2*(barWidth+gap)), float64(top+rowHeight*len(b.Rows)+12)
	c := &canvas{}
	c.tag(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" role="img" aria-labelledby="t d">`, px(width), px(height))
	c.tag(`<title id="t">Decisions per second and Redis CPU per decision, against %s</title>`, base)
	c.tag(`<desc id="d">%s</desc>`, escape(describe(b)))
	c.tag("<style>\n%s</style>", chartStyle)
	c.rect(0, 0, width, height, "paper")
	c.text(12, 18, "caption", "start", b.Cell.String()+"; "+o.Setup)
	c.text(12, 33, "caption", "start", o.Rig)
	c.panel(b, nameWidth, "decisions per second ÷ "+base+", more is better", perSecond)
	c.panel(b, nameWidth+barWidth+gap, "Redis CPU per decision ÷ "+base+", less is better", redisTime)
	for i, r := range b.Rows {
		c.text(nameWidth-10, float64(top+rowHeight*i+13), "name", "end", r.Contender)
	}
	c.tag(`</svg>`)
	return c.String()
}

// pictured is the cell to draw: the first link and keys, with 256 callers if there
// are, else the most.
func pictured(all []*block) *block {
	best := all[0]
	for _, b := range all {
		same := b.Cell.Link == best.Cell.Link && b.Cell.Keys == best.Cell.Keys
		if same && best.Cell.Callers != 256 && (b.Cell.Callers == 256 || b.Cell.Callers > best.Cell.Callers) {
			best = b
		}
	}
	return best
}

// panel draws a bar for each row, and a line where base ends.
func (c *canvas) panel(b *block, left float64, caption string, column int) {
	most := 1.1
	for _, r := range b.Rows {
		most = max(most, drawn(b.ratio(r, column)))
	}
	c.text(left, top-26, "caption", "start", caption)
	unit := barWidth / most
	for i, r := range b.Rows {
		c.rect(left, float64(top+rowHeight*i), unit*drawn(b.ratio(r, column)), 17, classOf(r))
	}
	c.line(left+unit, top-8, left+unit, float64(top+rowHeight*len(b.Rows)), "base")
	c.text(left+unit, top-11, "tick", "middle", "1")
	for i, r := range b.Rows { // over the line, so that it crosses no number
		v := b.ratio(r, column)
		c.text(left+unit*drawn(v)+5, float64(top+rowHeight*i+13), "value", "start", label(r, v))
	}
}

// drawn is no bar where there is no figure.
func drawn(value float64) float64 {
	if math.IsNaN(value) {
		return 0
	}
	return value
}

func classOf(r *row) string {
	if strings.HasPrefix(r.Contender, "slidegate") {
		return "bar own"
	}
	return "bar"
}

// label is a bar's figure, and how many calls it leaves out.
func label(r *row, value float64) string {
	if share, _ := r.trouble(); share > 0 {
		return short(value) + ", " + percent(share) + " failed"
	}
	return short(value)
}

func (b *block) ratio(r *row, column int) float64 {
	return ratios(r.Rounds, b.base().Rounds)[column]
}

func describe(b *block) (text string) {
	for _, r := range b.Rows {
		text += fmt.Sprintf("%s: %s times the decisions per second, %s times the Redis CPU. ", r.Contender, short(b.ratio(r, perSecond)), short(b.ratio(r, redisTime)))
	}
	return text
}

// A canvas collects SVG. Colours come from the classes of chart.css, so that they
// follow the reader's light or dark scheme.
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
