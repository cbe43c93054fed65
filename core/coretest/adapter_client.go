package coretest

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// patience bounds every wait for an answer.
const patience = 20 * time.Second

// conn is one connection to an app.
type conn struct {
	s *stage
	net.Conn
	in *bufio.Reader
}

func (s *stage) dial() *conn {
	s.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	return &conn{s, c, bufio.NewReader(c)}
}

// raw writes a request as it goes over the wire. Lines are header lines.
func raw(method, target string, lines ...string) string {
	return method + " " + target + " HTTP/1.1\r\nHost: app.example\r\n" + strings.Join(append(lines, "\r\n"), "\r\n")
}

// send writes text to the connection.
func (c *conn) send(text string) {
	c.s.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.s.Fatal(err)
	}
}

// answer is a response, read to its end.
type answer struct {
	status   int
	header   http.Header
	body     string
	from, to time.Time // between which it was made
}

// receive reads the response to a request of this method.
func (c *conn) receive(method string) answer {
	c.s.Helper()
	from := time.Now()
	r, err := http.ReadResponse(c.in, &http.Request{Method: method})
	if err != nil {
		c.s.Fatalf("no response: %v", err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.s.Fatalf("broken response: %v", err)
	}
	return answer{r.StatusCode, r.Header, string(body), from, time.Now()}
}

// do sends one request on a connection of its own and returns the answer.
func (s *stage) do(method, target string, lines ...string) answer {
	s.Helper()
	before := time.Now()
	c := s.dial()
	c.send(raw(method, target, lines...))
	a := c.receive(method)
	a.from = before
	_ = c.Close()
	return a
}

// get is do for GET /do by a user.
func (s *stage) get(user string, lines ...string) answer {
	s.Helper()
	return s.do("GET", "/do", append(lines, UIDHeader+": "+user)...)
}

// ours are the fields that a limiter may set.
var ours = []string{
	"RateLimit-Policy", "RateLimit", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset",
	"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After", "Cache-Control",
}

// fields are what a response has of ours, each as the lines it came in.
func (a answer) fields() map[string]string {
	got := map[string]string{}
	for _, name := range ours {
		if lines := a.header.Values(name); len(lines) > 0 {
			got[name] = strings.Join(lines, "\n")
		}
	}
	return got
}

// want fails unless a has this status, these fields and no other of ours, and
// this body. X-RateLimit-Reset is an instant: it is wanted as +45, seconds from
// the moment of the answer.
func (s *stage) want(a answer, status int, fields map[string]string, body string) {
	s.Helper()
	if a.status != status || a.body != body {
		s.Errorf("got %d %q, want %d %q", a.status, a.body, status, body)
	}
	got := a.fields()
	if after, ok := strings.CutPrefix(fields["X-RateLimit-Reset"], "+"); ok {
		got["X-RateLimit-Reset"] = a.sinceNow(got["X-RateLimit-Reset"], after)
	}
	if !maps.Equal(got, fields) {
		s.Errorf("fields\n got %q\nwant %q", got, fields)
	}
}

// sinceNow writes an instant as +after where it is so many seconds after a was
// made, and as it is otherwise.
func (a answer) sinceNow(instant, after string) string {
	at, err := strconv.ParseInt(instant, 10, 64)
	wait, _ := strconv.ParseInt(after, 10, 64)
	if err == nil && at >= a.from.Unix()+wait && at <= a.to.Unix()+1+wait {
		return "+" + after
	}
	return instant
}

// wantStatuses fails unless behaviours have these statuses.
func (s *stage) wantStatuses(got []int, want ...int) {
	s.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.Errorf("got %d, want %d", got, want)
	}
}
