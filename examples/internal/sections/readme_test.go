package sections

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every line of Go in the README stands in a file that is compiled: what the
// README shows can be pasted. Lines that only say "more here" are left out.
func TestReadmeIsCompiled(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	compiled := make(map[string]bool)
	for _, pattern := range []string{"examples/*/*.go", "examples/internal/*/*.go", "*/*_test.go", "core/*/*_test.go"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			for line := range strings.Lines(read(t, file)) {
				compiled[words(line)] = true
			}
		}
	}
	lines := 0
	for i, block := range strings.Split(read(t, filepath.Join(root, "README.md")), "```") {
		code, isGo := strings.CutPrefix(block, "go\n")
		if i%2 == 0 || !isGo {
			continue
		}
		for line := range strings.Lines(code) {
			if text := words(line); text != "" && !compiled[text] {
				t.Errorf("not in any file that is compiled: %s", line)
			}
			lines++
		}
	}
	if lines < 40 {
		t.Errorf("found %d lines of Go; the README has more", lines)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// words is a line without its comment and without the spaces that align it.
func words(line string) string {
	code, _, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " // ")
	return strings.Join(strings.Fields(code), " ")
}
