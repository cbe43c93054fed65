package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/alicebob/miniredis/v2"
)

// A whole run, on a Redis inside the test: every contender passes its check, decides
// in each cell, and leaves no key. It shows nothing of speed.
func TestRun(t *testing.T) {
	mini := miniredis.RunT(t)
	mini.Set("theirs", "stays")
	var out bytes.Buffer
	args := []string{"-addr", mini.Addr(), "-rounds", "1", "-duration", "10ms", "-callers", "2", "-keys", "10,1", "-link", "0", "-json"}
	if err := run(t.Context(), args, &out, io.Discard, nowhere); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Contenders []checked
		Cells      []jsonBlock
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Contenders) != len(contenders) || len(got.Cells) != 2 {
		t.Fatalf("%d contenders in %d cells, want %d in 2", len(got.Contenders), len(got.Cells), len(contenders))
	}
	for _, c := range got.Contenders {
		if !c.Check.ok() || c.Version == "" {
			t.Errorf("%s: %+v", c.Name, c)
		}
	}
	for _, b := range got.Cells {
		for _, r := range b.Rows {
			if v := r.Median["decisions_per_second"]; v == nil || *v <= 0 {
				t.Errorf("%s, %s: %+v", b.Cell, r.Contender, r)
			}
		}
	}
	if keys := mini.Keys(); len(keys) != 1 {
		t.Errorf("keys left: %v, want only the one that was there", keys)
	}
}

// A limiter that admits everything is named and not measured.
func TestACheatIsNotMeasured(t *testing.T) {
	mini := miniredis.RunT(t)
	s, err := connect(t.Context(), "test", mini.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	o, err := parseOptions([]string{"-rounds", "1", "-duration", "10ms", "-callers", "1", "-keys", "1", "-link", "0", "-only", base}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	o.asked = append(o.asked, contender{name: "cheat", open: func(context.Context, *session) (limiter, error) {
		return allowFunc(func(context.Context, string) (bool, error) { return true, nil }), nil
	}})
	result, err := compare(t.Context(), o, s, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want := "cheat is not measured: admitted 400 of 400 calls on a limit of 100 (want 100 to 100), 0 errors."
	if last := result.Notes[len(result.Notes)-1]; last != want {
		t.Errorf("note is %q, want %q", last, want)
	}
	if rows := result.Blocks[0].Rows; len(rows) != 1 || rows[0].Contender != base {
		t.Errorf("measured: %v", rows)
	}
}
