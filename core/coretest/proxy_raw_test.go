package coretest

import (
	"bufio"
	"io"
	"net"
	"testing"
)

// A push comes unasked and must not be taken for the reply that a fault awaits.
func TestProxyCountsNoPushAsAReply(t *testing.T) {
	server := scripted(t, ">1\r\n+news\r\n:12345\r\n")
	p := StartProxy(t, server, func(int64) Fault { return Fault{Action: Truncate, Keep: 3} })
	got := exchange(t, p.Addr, "*1\r\n$4\r\nEVAL\r\n")
	if want := ">1\r\n+news\r\n:12"; got != want {
		t.Errorf("client got %q, want %q", got, want)
	}
}

func TestProxyHangsUpWhenTheServerIsGone(t *testing.T) {
	s := Start(t, Mini)
	p := StartProxy(t, s.Addr, nil)
	s.Kill()
	if got := exchange(t, p.Addr, "PING\r\n"); got != "" {
		t.Errorf("client got %q", got)
	}
}

// scripted is a server that answers whatever it is first told with reply.
func scripted(t *testing.T, reply string) string {
	t.Helper()
	ln, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		r := bufio.NewReader(c)
		_, _ = readValue(r)
		_, _ = io.WriteString(c, reply)
		_, _ = io.Copy(io.Discard, r)
	}()
	return ln.Addr().String()
}

// exchange sends request to addr and returns all that comes until the far side
// closes the connection.
func exchange(t *testing.T, addr, request string) string {
	t.Helper()
	c := dial(t, addr)
	_, _ = io.WriteString(c, request) // it may have hung up already
	got, _ := io.ReadAll(c)
	return string(got)
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
