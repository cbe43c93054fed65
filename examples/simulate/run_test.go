package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

func TestMain(m *testing.M) { coretest.Main(m) }

// answers are what -json prints.
type answers struct {
	Server  string
	Notes   []string
	Results []jsonResult
}

func runJSON(t *testing.T, url string, args ...string) (a answers) {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), append(args, "-json", "-seed", "1"), nil, &out, io.Discard, url); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

func url(s *coretest.Server) string {
	if s.Kind == coretest.Mini {
		return "" // the one inside the process
	}
	return "redis://" + s.Addr
}

// What the README says of each algorithm, on every server: who never admits more
// than the limit in any window, and by which traffic the others are made to.
func TestWhatEachAlgorithmAdmits(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		a := runJSON(t, url(s), "-quick", "-policy", "api=10/1m", "-out", "")
		if ran := len(a.Results) / len(scenarios); ran < 8 {
			t.Fatalf("%d algorithms ran; left out: %q", ran, a.Notes)
		}
		worst := map[string]float64{}
		for _, r := range a.Results {
			p := r.Policy
			if neverAbove(p) && r.Peak > 1 {
				t.Errorf("%s, %s: %v times the limit in one window", r.Algorithm, r.Scenario, r.Peak)
			}
			if isLog(p) && (r.Admitted != r.Exact || r.WronglyDenied != 0 || r.RemainingOff != 0) {
				t.Errorf("%s, %s: %+v; want no difference from an exact log", r.Algorithm, r.Scenario, r.Metrics)
			}
			if real := s.Kind != coretest.Mini; (r.BytesPerKey > 0) != real || (r.RedisCPU > 0) != real {
				t.Errorf("%s, %s: %d bytes, %v µs; want them measured: %v", r.Algorithm, r.Scenario, r.BytesPerKey, r.RedisCPU, real)
			}
			worst[p.Algorithm.String()+p.Edge.String()+" "+r.Scenario] = r.Peak
		}
		for _, made := range []string{"SlidingWindowWeighted sub-window", "FixedWindowConservative boundary", "TokenBucketConservative flash-sale"} {
			if worst[made] <= 1.5 {
				t.Errorf("%s: %v times the limit; want more than 1.5", made, worst[made])
			}
		}
	})
}

func neverAbove(p core.Policy) bool {
	return p.Edge == core.Conservative && strings.HasPrefix(guarantee(p), "never more") || isLog(p)
}

func isLog(p core.Policy) bool {
	return p.Algorithm == core.SlidingLog || p.Algorithm == core.CompactLog
}

// Traffic and answers follow from the seed alone, whoever executes the Lua.
func TestServersAgree(t *testing.T) {
	args := []string{"-quick", "-policy", "api=5/1m,subwindows=6,edge=weighted", "-out", ""}
	want := runJSON(t, "", args...)
	coretest.Each(t, func(t *testing.T, s *coretest.Server) {
		for i, r := range runJSON(t, url(s), args...).Results {
			r.BytesPerKey, r.RedisCPU, r.RoundTrips = 0, 0, 0
			other := want.Results[i]
			other.RoundTrips = 0
			if r != other {
				t.Errorf("%s:\n%s gives %+v\nminiredis gives %+v", r.Scenario, s.Kind, r, other)
			}
		}
	})
}

// A Redis that is not ours is left as it was.
func TestLeavesNothingBehind(t *testing.T) {
	coretest.Each(t, func(t *testing.T, s *coretest.Server) {
		t.Parallel()
		rdb := s.Client(t)
		before := keys(t, rdb.Keys(t.Context(), "sim-*").Result)
		runJSON(t, url(s), "-quick", "-policy", "api=3/1m,algorithm=fixed-window", "-out", "")
		if after := keys(t, rdb.Keys(t.Context(), "sim-*").Result); after > before {
			t.Errorf("%d keys are left", after-before)
		}
	})
}

// While a run goes on its keys do not expire, however slow the machine is; when it
// ends they are gone, and what was there before is not.
func TestKeysLastAsLongAsTheRun(t *testing.T) {
	coretest.Each(t, func(t *testing.T, s *coretest.Server) {
		ours, err := connect(t.Context(), url(s))
		if err != nil {
			t.Fatal(err)
		}
		defer ours.close()
		limiter, err := core.New(ours.rdb, core.Prefix(unique()))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := limiter.Allow(t.Context(), policyOf(1, time.Millisecond), "somebody"); err != nil {
			t.Fatal(err)
		}
		ours.keep(t.Context())
		for key := range ours.watch.keys {
			if left := ours.rdb.TTL(t.Context(), key).Val(); left != -1 {
				t.Errorf("%s lives %v; want for ever", key, left)
			}
		}
		all := len(ours.watch.keys)
		if err := ours.remove(t.Context()); err != nil || all != 1 || len(ours.watch.keys) != 0 {
			t.Errorf("%d keys before, %d after, %v; want 1 and none", all, len(ours.watch.keys), err)
		}
	})
}

func keys(t *testing.T, ask func() ([]string, error)) int {
	t.Helper()
	found, err := ask()
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

func TestInterruptedRunLeavesNothingBehind(t *testing.T) {
	coretest.Each(t, func(t *testing.T, s *coretest.Server) {
		ctx, stop := context.WithCancel(t.Context())
		status := writer(func(p []byte) (int, error) { stop(); return len(p), nil }) // at the first progress line
		err := run(ctx, []string{"-quick", "-out", ""}, nil, io.Discard, status, url(s))
		if err == nil || !strings.Contains(err.Error(), "interrupted") {
			t.Errorf("%v; want that it was interrupted", err)
		}
		if n := keys(t, s.Client(t).Keys(t.Context(), "sim-*").Result); n > 0 {
			t.Errorf("%d keys are left", n)
		}
	})
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// evilTrace has a key that would be markup, were it not escaped.
const evilTrace = "1767225599.9 <script>alert(1)</script>\n1767225600 <script>alert(1)</script>\n1767225601.5 &amp;\"'\n"

func TestReplay(t *testing.T) {
	dir := t.TempDir()
	report, picture := filepath.Join(dir, "r.html"), filepath.Join(dir, "p.svg")
	var out, status bytes.Buffer
	args := []string{"-trace", "-", "-policy", "api=1/1m", "-policy", "wide=10/1h,algorithm=gcra", "-out", report, "-picture", picture}
	if err := run(t.Context(), args, strings.NewReader(evilTrace), &out, &status, ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Limit: api, 1 per 1m", "Limit: wide, 10 per 1h", "api: FixedWindow", "wide: GCRA", "3 requests by 2 keys"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	if !strings.Contains(status.String(), "100 %") || strings.Contains(status.String(), "\r") {
		t.Errorf("progress that is no terminal's: %q", status.String())
	}
	page := wellFormed(t, report)
	wellFormed(t, picture)
	for _, want := range []string{"&lt;script&gt;alert(1)&lt;/script&gt;, one of 2", "prefers-color-scheme: dark", `<th scope="row">`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the report", want)
		}
	}
	if strings.Contains(page, "<script") {
		t.Error("the report has a script")
	}
}

// wellFormed checks that a file parses as XML, names nothing that lies elsewhere,
// and tells those who cannot see what each drawing shows.
func wellFormed(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	drawings, parser := 0, xml.NewDecoder(bytes.NewReader(text))
	for {
		token, err := parser.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "svg" {
			drawings++
		}
	}
	page := string(text)
	if drawings == 0 || strings.Count(page, "<desc id=") != drawings || strings.Count(page, "<title id=") != drawings {
		t.Errorf("%s: %d drawings; want some, each with a title and a description", path, drawings)
	}
	elsewhere := strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, "")
	if link := regexp.MustCompile(`(?i)https?://|@import|src=|url\(`).FindString(elsewhere); link != "" {
		t.Errorf("%s: it wants something from elsewhere: %s", path, link)
	}
	if strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
		t.Errorf("%s: a number that is none", path)
	}
	return page
}

func TestMarkdown(t *testing.T) {
	var out bytes.Buffer
	args := []string{"-quick", "-policy", "api=20/1m,algorithm=fixed-window", "-out", "", "-seed", "1", "-markdown"}
	if err := run(t.Context(), args, nil, &out, io.Discard, ""); err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(out.String(), "\n\n")
	lines := strings.Split(table, "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[2], "| `FixedWindow` | L in each window of the clock | 2.00 L (boundary attacker) |") {
		t.Errorf("got:\n%s", out.String())
	}
	for _, line := range lines {
		if strings.Count(line, "|") != 9 {
			t.Errorf("%d bars in %s", strings.Count(line, "|"), line)
		}
	}
}

func TestMistakesAreOneSentence(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.txt")
	if err := os.WriteFile(bad, []byte("1 a\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, url string
		code      int
		want      string
	}{
		{"-policy api=100", "", 2, "want name=LIMIT/WINDOW"},
		{"-policy api=0/1m,algorithm=gcra", "", 2, "Limit is 0; want at least 1 unit per Window"},
		{"-policy api=0/1m", "", 2, "no algorithm takes this policy"},
		{"-policy api=5/1m,burst=3", "", 2, "Burst is 3; want 0 for SlidingWindow"},
		{"-trace " + bad, "", 2, bad + ":2:2: no key follows the timestamp"},
		{"-trace /nowhere/at/all", "", 2, "-trace /nowhere/at/all cannot be read (no such file or directory)"},
		{"-out /nowhere/at/all.html", "", 2, "/nowhere/at/all.html cannot be written (no such file or directory)"},
		{"-duration 1s", "", 2, "-duration is 1s; want 2 to 1,000 windows of policy api, 2m0s to 16h40m0s"},
		{"-seed x", "", 2, "-seed"},
		{"-fast", "", 2, "-fast"},
		{"trace.txt", "", 2, `"trace.txt" is no flag`},
		{"-json -markdown", "", 2, "choose one"},
		{"-out=", "127.0.0.1 6379", 2, "REDIS_URL cannot be used"},
		{"-out=", "redis://127.0.0.1:1", 1, "no Redis answers at REDIS_URL, 127.0.0.1:1 (connection refused)"},
	} {
		err := run(t.Context(), strings.Fields(c.args), nil, io.Discard, io.Discard, c.url)
		if err == nil || exitCode(err) != c.code || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want code %d and one sentence with %q", c.args, err, c.code, c.want)
		}
	}
	if err := run(t.Context(), []string{"-h"}, nil, io.Discard, io.Discard, ""); err != nil {
		t.Errorf("-h: %v", err)
	}
	if exitCode(errors.New("anything else")) != 1 {
		t.Error("an error that is not the user's ends with another code than 1")
	}
}
