package keyfuncs_test

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

// vectorFile is testdata/client_ip.json.
type vectorFile struct {
	Trusted []string
	Rows    []struct {
		ID         int
		Source     string
		RemoteAddr string `json:"remote_addr"`
		Headers    [][2]string
		Key, Note  string
	}
}

func loadVectors(t testing.TB) vectorFile {
	t.Helper()
	text, err := os.ReadFile("testdata/client_ip.json")
	if err != nil {
		t.Fatal(err)
	}
	var file vectorFile
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

// sourceFunc is the key function that a vector's source stands for.
func sourceFunc(t testing.TB, source string, networks ...string) keyfuncs.Func {
	t.Helper()
	known := prefixes(networks...)
	if name, ok := strings.CutPrefix(source, "header "); ok {
		return keyfuncs.IPFromHeader(name, known...)
	}
	if text, ok := strings.CutPrefix(source, "hops="); ok {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return keyfuncs.IPBehindHops(n, known...)
	}
	switch source {
	case "x-forwarded-for":
		return keyfuncs.IPBehind(known...)
	case "forwarded":
		return keyfuncs.IPFromForwarded(known...)
	case "none":
		return keyfuncs.IP
	}
	t.Fatalf("unknown source %q", source)
	return nil
}

func TestVectors(t *testing.T) {
	file := loadVectors(t)
	if len(file.Rows) < 50 {
		t.Fatalf("only %d rows", len(file.Rows))
	}
	for _, row := range file.Rows {
		f := sourceFunc(t, row.Source, file.Trusted...)
		got := mustKey(t, f, request{peer: row.RemoteAddr, headers: row.Headers})
		if got != row.Key {
			t.Errorf("row %d (%s): got %q, want %q", row.ID, row.Note, got, row.Key)
		}
	}
}
