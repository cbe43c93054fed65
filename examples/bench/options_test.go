package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

func TestMistakesAreOneClearSentence(t *testing.T) {
	for args, want := range map[string]string{
		"-rounds 0":            "-rounds is 0; want 1 or more",
		"-duration 1ms":        "-duration is 1ms; want 10ms or more",
		"-callers 8,x":         `"x" is no number of 1 to 1000000`,
		"-keys 0":              `"0" is no number of 1 to 1000000`,
		"-link 2s":             `"2s" is no delay of 0 to 1s`,
		"-limit 2000000":       "-limit is 2000000; want 1 to 1000000",
		"-pool -1":             "-pool is -1",
		"-only nobody":         "matches no contender; there are redis_rate, ",
		"-only (":              "missing closing )",
		"-callers 8, 64":       `"" is no number`,
		"-only rueidis -svg x": `-svg compares with redis_rate, which -only "rueidis" leaves out`,
		"64":                   `"64" is no flag`,
		"-svg /no/such/x.svg":  "-svg: open /no/such/x.svg",
		"-addr redis://:x:y/":  "-addr cannot be used",
		"-addr unix:///r.sock": "-addr is a Unix socket; want TCP",
	} {
		err := run(t.Context(), strings.Fields(args), io.Discard, io.Discard, nowhere)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error is %v, want one line with %q", args, err, want)
		}
		if exitCode(err) != 2 {
			t.Errorf("%s: exit code %d, want 2", args, exitCode(err))
		}
	}
}

func TestWithoutRedis(t *testing.T) {
	err := run(t.Context(), nil, io.Discard, io.Discard, nowhere)
	if err == nil || !strings.Contains(err.Error(), "set SLIDEGATE_REDIS7") || exitCode(err) != 1 {
		t.Errorf("error is %v", err)
	}
	missing := func(string) string { return "/no/such/redis-server" }
	if _, err := findServer(context.Background(), "", missing); err == nil || !strings.Contains(err.Error(), "SLIDEGATE_REDIS7 cannot be started") {
		t.Errorf("error is %v", err)
	}
}

func TestHelpNamesEveryFlag(t *testing.T) {
	var status bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, io.Discard, &status, nowhere); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"-addr", "-rounds", "-duration", "-callers", "-keys", "-link", "-limit", "-pool", "-only", "-json", "-svg"} {
		if !strings.Contains(status.String(), flag) {
			t.Errorf("help does not name %s", flag)
		}
	}
}

// nowhere is an environment without a Redis.
func nowhere(string) string { return "" }
