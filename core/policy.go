package core

import (
	"strconv"
	"time"
)

// Algorithm says how units are counted. The zero value is SlidingWindow.
type Algorithm uint8

// The algorithms. What each admits, and what it keeps in Redis, stands at the
// head of its file in package scripts.
const (
	SlidingWindow  Algorithm = iota // counts per sub-window: a few integers a key, never more than Limit in any Window
	SlidingLog                      // one ZSET member per admitted unit: exact, and the largest state: 100 bytes a unit and more
	CompactLog                      // the same answers from a ring in one string: 6 to 9 bytes per admitted unit
	FixedWindow                     // one counter per window aligned to the epoch; up to 2 x Limit across a boundary
	TokenBucket                     // Burst tokens, refilled at Limit per Window
	LeakyBucket                     // a level that drains at Limit per Window and holds Burst
	GCRA                            // one timestamp: the same answers as TokenBucket in the smallest state
	AdaptiveWindow                  // sub-windows that narrow under load and widen when it is quiet; never more than Limit in any Window
	LayeredWindow                   // coarse and fine sub-windows, each with a limit of its own if wanted; never more than Limit in any Window
)

var algorithmNames = [...]string{
	"SlidingWindow", "SlidingLog", "CompactLog", "FixedWindow", "TokenBucket",
	"LeakyBucket", "GCRA", "AdaptiveWindow", "LayeredWindow",
}

// String returns the constant's name, or Algorithm(n) where n is none of them.
func (a Algorithm) String() string {
	if int(a) < len(algorithmNames) {
		return algorithmNames[a]
	}
	return "Algorithm(" + strconv.Itoa(int(a)) + ")"
}

// hasRate reports whether a refills evenly, so that Burst has a meaning.
func (a Algorithm) hasRate() bool {
	return a == TokenBucket || a == LeakyBucket || a == GCRA
}

// hasParts reports whether a divides Window, so that SubWindows has a meaning.
func (a Algorithm) hasParts() bool {
	return a == SlidingWindow || a == AdaptiveWindow || a == LayeredWindow
}

// Edge says how SlidingWindow counts the oldest sub-window, which the window
// covers only in part. The zero value is Conservative.
type Edge uint8

const (
	// Conservative counts the oldest sub-window whole. No window of length
	// Window ever holds more than Limit units; a steady client gets up to one
	// sub-window's share less than Limit.
	Conservative Edge = iota
	// Weighted counts the oldest sub-window by its overlap. A steady client
	// gets all of Limit; one who times bursts to the edge gets up to 2 x Limit
	// in one Window, however many sub-windows there are.
	Weighted
)

// String returns the constant's name, or Edge(n) where n is none of them.
func (e Edge) String() string {
	switch e {
	case Conservative:
		return "Conservative"
	case Weighted:
		return "Weighted"
	}
	return "Edge(" + strconv.Itoa(int(e)) + ")"
}

// OutageMode says what a policy answers while Redis cannot decide. The zero
// value is Open.
type OutageMode uint8

const (
	Open   OutageMode = iota // serve, and flag the Decision
	Closed                   // refuse, and flag the Decision
	Local                    // bounded limiter in this process; not available yet, Validate says so
)

// String returns the constant's name, or OutageMode(n) where n is none of them.
func (m OutageMode) String() string {
	switch m {
	case Open:
		return "Open"
	case Closed:
		return "Closed"
	case Local:
		return "Local"
	}
	return "OutageMode(" + strconv.Itoa(int(m)) + ")"
}

// Policy says how much one key may spend and over how long. It is plain data:
// compare it, copy it, keep it in a variable, choose it per request. Name is
// part of the Redis key, so policies of one Name and Algorithm share what a key
// has spent; that is how a limit is changed while it is in use.
//
// The zero Policy is not valid: Name, Limit and Window are required.
type Policy struct {
	// Name is 1 to 64 characters of A-Z, a-z, 0-9, _ and -. It appears in the
	// Redis key and in response headers.
	Name string
	// Algorithm says how units are counted. Zero is SlidingWindow.
	Algorithm Algorithm
	// Limit is the number of units per Window, at least 1.
	Limit int64
	// Window is the period Limit is stated over: 1 ms to 366 days, in whole
	// microseconds.
	Window time.Duration
	// Burst is how many units an idle key may spend at once under TokenBucket,
	// LeakyBucket or GCRA. Zero is Limit. The others have no burst. A key lives
	// in Redis until its burst is back: for more than Limit, longer than Window.
	Burst int64
	// SubWindows is how many parts Window is divided into: more parts waste less
	// and cost more memory. SlidingWindow has 1 to 10,000 equal parts, and Window
	// must divide by it into whole microseconds; zero is the largest number up to
	// 60 that does so. For AdaptiveWindow it is the most parts, reached under
	// load; zero is 240. For LayeredWindow it is the number of coarse parts; zero
	// is the largest number up to 6 that divides Window.
	SubWindows int
	// MinSubWindows is the fewest parts of AdaptiveWindow, kept while it is
	// quiet: 1 to SubWindows. Zero is 15, or SubWindows where that is less.
	MinSubWindows int
	// NarrowAbove and WidenBelow are AdaptiveWindow's thresholds, in units
	// admitted during one sub-window: more than NarrowAbove halve the width, fewer
	// than WidenBelow double it. Zero is Limit/40 and Limit/80, or the other one
	// doubled or halved where that is set.
	NarrowAbove, WidenBelow int64
	// FineWindows is how many fine parts each coarse part of LayeredWindow is
	// divided into; Window must divide by all of them, 10,000 at most, into whole
	// microseconds. Zero is the largest number up to 10 that does so.
	FineWindows int
	// CoarseLimit and FineLimit are the most units that LayeredWindow admits in
	// one coarse and in one fine part, besides Limit for the whole Window. Parts
	// are aligned to the epoch. Zero is no limit of its own.
	CoarseLimit, FineLimit int64
	// Edge says how SlidingWindow counts the oldest part. Zero is Conservative.
	Edge Edge
	// FieldTTL has SlidingWindow keep its sub-windows in a hash, and Redis expire
	// each by itself; turning it on or off starts a new count. It needs HPEXPIREAT (Redis 7.4 or later, Valkey 9 or later); on a server
	// without it each call returns ErrConfiguration. The answers are those of
	// FieldTTL false, where the script removes old sub-windows when it writes, and
	// which is faster and smaller.
	FieldTTL bool
	// OnOutage says what to answer while Redis cannot decide. Zero is Open.
	OnOutage OutageMode
}

// PerSecond allows limit units in any second, counted by SlidingWindow.
func PerSecond(name string, limit int64) Policy { return per(name, limit, time.Second) }

// PerMinute allows limit units in any minute, counted by SlidingWindow.
func PerMinute(name string, limit int64) Policy { return per(name, limit, time.Minute) }

// PerHour allows limit units in any hour, counted by SlidingWindow.
func PerHour(name string, limit int64) Policy { return per(name, limit, time.Hour) }

// PerDay allows limit units in any 24 hours, counted by SlidingWindow.
func PerDay(name string, limit int64) Policy { return per(name, limit, 24*time.Hour) }

func per(name string, limit int64, window time.Duration) Policy {
	return Policy{Name: name, Limit: limit, Window: window}
}

// Capacity returns the most units one key can hold at any moment: Burst under
// TokenBucket, LeakyBucket and GCRA where it is set; the smallest of Limit,
// CoarseLimit and FineLimit that are set under LayeredWindow; else Limit. No
// cost above it is ever admitted.
func (p Policy) Capacity() int64 {
	switch {
	case p.Algorithm.hasRate() && p.Burst > 0:
		return p.Burst
	case p.Algorithm == LayeredWindow:
		return min(p.Limit, orElse(p.CoarseLimit, p.Limit), orElse(p.FineLimit, p.Limit))
	}
	return p.Limit
}
