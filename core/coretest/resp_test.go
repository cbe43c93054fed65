package coretest

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadValueEndsWhereTheValueDoes(t *testing.T) {
	for _, value := range []string{
		"+OK\r\n", "-ERR no\r\n", ":-7\r\n", "_\r\n", "#t\r\n", ",1.5\r\n", "(123\r\n",
		"$5\r\nhello\r\n", "$0\r\n\r\n", "$-1\r\n", "$4\r\n\r\n\r\n\r\n",
		"!3\r\nERR\r\n", "=7\r\ntxt:abc\r\n",
		"*0\r\n", "*-1\r\n", "*2\r\n:1\r\n$1\r\nx\r\n", "*2\r\n*1\r\n*1\r\n:1\r\n*1\r\n_\r\n",
		"~2\r\n:1\r\n:2\r\n", ">2\r\n+a\r\n*1\r\n:1\r\n",
		"%2\r\n+a\r\n:1\r\n+b\r\n*2\r\n:1\r\n:2\r\n", "%0\r\n",
		"|1\r\n+ttl\r\n:9\r\n*1\r\n:1\r\n", "*1\r\n|1\r\n+a\r\n:1\r\n:2\r\n",
		"PING\r\n",
	} {
		stream := iotest.OneByteReader(strings.NewReader(value + ":42\r\n"))
		r := bufio.NewReader(stream)
		if got, err := readValue(r); string(got) != value || err != nil {
			t.Errorf("%q: read %q, %v", value, got, err)
		}
		if next, err := readValue(r); string(next) != ":42\r\n" || err != nil {
			t.Errorf("%q: then read %q, %v", value, next, err)
		}
	}
}

func TestReadValueRefusesTornAndSenseless(t *testing.T) {
	for _, stream := range []string{
		"", "+OK", "$5\r\nhel", "*2\r\n:1\r\n", "$x\r\n", "*99999999999999999999\r\n", "$-5\r\n",
		"$9223372036854775807\r\n", "*\r\n",
	} {
		if got, err := readValue(bufio.NewReader(strings.NewReader(stream))); err == nil {
			t.Errorf("%q: read %q", stream, got)
		}
	}
}

func TestCommand(t *testing.T) {
	for request, want := range map[string]string{
		"*2\r\n$4\r\neval\r\n$1\r\nx\r\n": "eval",
		"*1\r\n$4\r\nPING\r\n":            "PING",
		"EVAL x 0\r\n":                    "EVAL",
		"PING\r\n":                        "PING",
		"*0\r\n":                          "",
	} {
		if got := command([]byte(request)); string(got) != want {
			t.Errorf("%q: %q, want %q", request, got, want)
		}
	}
}

// A length is a promise, not a fact: believing it must not cost its memory.
func TestReadValueTakesMemoryAsBytesCome(t *testing.T) {
	r := bufio.NewReader(io.MultiReader(strings.NewReader("$1000000000000\r\n"), strings.NewReader("x")))
	if _, err := readValue(r); err == nil {
		t.Error("a terabyte of one byte")
	}
}
