package nethttp_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const user = `package main

import (
	"net/http"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

func main() {
	var rl *core.Limiter
	_ = http.ListenAndServe(":0", nethttp.Limit(rl, core.PerMinute("api", 100), keyfuncs.IP)(nil))
}
`

// unwanted are modules that a user of net/http has no use for.
var unwanted = regexp.MustCompile(`gin-gonic|labstack|gofiber|fasthttp|go-chi|prometheus|miniredis|gopher-lua|httpsfv|rapid`)

// A module that imports nethttp alone carries no other framework.
func TestWeightOfAUser(t *testing.T) {
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "main.go"), user)
	write(t, filepath.Join(dir, "go.mod"), "module example.com/user\n\ngo 1.26.0\n\n"+
		"require github.com/slidegate/slidegate v0.0.0\n\nreplace github.com/slidegate/slidegate => "+root+"\n")
	noticeSources(t, root)
	tidy(t, dir)
	mod, sum := read(t, filepath.Join(dir, "go.mod")), read(t, filepath.Join(dir, "go.sum"))
	if found := unwanted.FindAllString(mod, -1); len(found) > 0 {
		t.Errorf("go.mod has %v:\n%s", found, mod)
	}
	if lines := strings.Count(sum, "\n"); lines > 26 {
		t.Errorf("go.sum has %d lines, want 26 at most:\n%s", lines, sum)
	} else {
		t.Logf("go.sum has %d lines", lines)
	}
}

// noticeSources looks at all sources, for tests' imports weigh too: a result
// that go test has cached is then of no use when one has changed.
func noticeSources(t *testing.T, root string) {
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && (filepath.Ext(path) == ".go" || filepath.Base(path) == "go.mod") {
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// tidy resolves the module in dir. Without a module proxy there is nothing to
// test, which is said aloud.
func tidy(t *testing.T, dir string) {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "go", "mod", "tidy")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return
	}
	for _, sign := range []string{"dial tcp", "no such host", "i/o timeout", "connection refused", "module lookup disabled", "Forbidden"} {
		if bytes.Contains(out, []byte(sign)) {
			t.Skipf("the weight of a user's module was not measured, as the module proxy cannot be reached: %s", out)
		}
	}
	t.Fatalf("go mod tidy: %v\n%s", err, out)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
