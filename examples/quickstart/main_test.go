package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/core/coretest"
)

func TestMain(m *testing.M) { coretest.Main(m) }

func TestTable(t *testing.T) {
	coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
		url := "redis://" + s.Addr
		if s.Kind == coretest.Mini {
			url = "" // the one inside the process
		}
		var out strings.Builder
		if err := run(t.Context(), &out, url, "127.0.0.1:0", true); err != nil {
			t.Fatal(err)
		}
		http.DefaultClient.CloseIdleConnections()
		for i := range 5 {
			wantLine(t, out.String(), fmt.Sprint(i+1), "200 OK", "-", fmt.Sprint(4-i))
		}
		for i := 5; i < 8; i++ {
			wantLine(t, out.String(), fmt.Sprint(i+1), "429 Too Many Requests", "0")
		}
		if !strings.Contains(out.String(), "curl -i http://127.0.0.1:") {
			t.Errorf("no line to paste in:\n%s", out.String())
		}
	})
}

// wantLine looks for a line of the table that holds all parts, in order.
func wantLine(t *testing.T, table string, parts ...string) {
	t.Helper()
	for line := range strings.Lines(table) {
		rest, found := line, strings.HasPrefix(line, parts[0]+" ")
		for _, part := range parts {
			var ok bool
			_, rest, ok = strings.Cut(rest, part)
			found = found && ok
		}
		if found {
			return
		}
	}
	t.Errorf("no line with %q in:\n%s", parts, table)
}

func TestMistakesAreOneSentence(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, c := range map[string]struct{ url, addr, want string }{
		"port in use":       {"", taken.Addr().String(), "address already in use"},
		"unreachable Redis": {"redis://127.0.0.1:1", "127.0.0.1:0", "no Redis answers at REDIS_URL, 127.0.0.1:1 (connection refused)"},
		"no URL at all":     {"127.0.0.1 6379", "127.0.0.1:0", "REDIS_URL cannot be used"},
	} {
		err := run(context.Background(), io.Discard, c.url, c.addr, true)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want one sentence with %q", name, err, c.want)
		}
	}
}
