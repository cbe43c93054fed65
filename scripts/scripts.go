// Package scripts holds the Lua that counts, and composes it: a prelude, the
// algorithms a call uses, and the driver that judges its decisions. The files
// are the documentation of what stands in Redis; driver.lua describes the
// protocol, and each algorithm's file its key, its fields and its cost.
package scripts

import (
	"crypto/sha1"
	"embed"
	"encoding/hex"
	"strings"
	"sync"
)

//go:embed *.lua
var files embed.FS

// Set is a set of algorithms; the zero value is empty. Sets are joined with |.
type Set uint16

// The algorithms, one bit each.
const (
	FixedWindow Set = 1 << iota
	SlidingLog
	SlidingWindow
	TokenBucket
	LeakyBucket
	GCRA
	AdaptiveWindow
	FieldWindow // SlidingWindow in a hash whose fields expire
	LayeredWindow
	CompactLog
	sets
	every = sets - 1
)

// parts lists the files of each algorithm, in an order that serves every set:
// a file may use what stands in files before it.
var parts = []struct {
	of   Set
	file string
}{
	{every, "prelude.lua"},
	{FixedWindow, "fixed_window.lua"},
	{SlidingLog, "sliding_log.lua"},
	{CompactLog, "compact_log.lua"},
	{SlidingWindow | AdaptiveWindow, "bytes.lua"},
	{SlidingWindow, "sliding_window.lua"},
	{AdaptiveWindow, "adaptive_window.lua"},
	{FieldWindow | LayeredWindow, "sub_windows.lua"},
	{FieldWindow, "field_window.lua"},
	{LayeredWindow, "layers.lua"},
	{LayeredWindow, "layered_window.lua"},
	{TokenBucket | LeakyBucket | GCRA, "rate.lua"},
	{TokenBucket | LeakyBucket, "bucket.lua"},
	{TokenBucket, "token_bucket.lua"},
	{LeakyBucket, "leaky_bucket.lua"},
	{GCRA, "gcra.lua"},
	{every, "driver.lua"},
}

// Script is a composed script and the hash that EVALSHA takes.
type Script struct {
	Source string
	SHA    string
}

var composed [sets]struct {
	once   sync.Once
	script Script
}

// For returns the script that serves exactly the algorithms of set, so that a
// call pays for compiling and setting up no others. Each is composed once. A
// set that holds anything but the algorithms above panics. Safe for concurrent
// use.
func For(set Set) *Script {
	c := &composed[set]
	c.once.Do(func() { c.script = compose(set) })
	return &c.script
}

func compose(set Set) Script {
	var script strings.Builder
	for _, part := range parts {
		if part.of&set != 0 {
			script.WriteString(strip(source(part.file)))
		}
	}
	sum := sha1.Sum([]byte(script.String()))
	return Script{Source: script.String(), SHA: hex.EncodeToString(sum[:])}
}

// source returns the text of an embedded file; a missing one is a mistake in
// parts, which every test would hit.
func source(file string) string {
	text, err := files.ReadFile(file)
	if err != nil {
		panic("scripts: " + err.Error())
	}
	return string(text)
}

// strip drops the lines that are only comment: a server keeps the text of each
// script it has cached.
func strip(source string) string {
	var code strings.Builder
	for line := range strings.Lines(source) {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "--") {
			code.WriteString(line)
		}
	}
	return code.String()
}
