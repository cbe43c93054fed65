package coretest

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// Action says what becomes of a request's reply.
type Action uint8

// The actions. After any but Pass nothing more reaches the server over that
// connection, nor the client beyond what the action lets through, so a late reply
// is never taken for another's. Replies to requests pipelined before the broken one
// still arrive, except that Drop loses those that are on their way.
const (
	Pass     Action = iota // the reply reaches the client
	Swallow                // it never does, and the connection stays open and mute
	Cut                    // the connection is closed in its place
	Truncate               // the connection is closed after Fault.Keep bytes of it
	Drop                   // the connection is closed before the server gets the request
)

// Fault is what the proxy does to one request. The zero Fault does nothing.
type Fault struct {
	Action Action
	Keep   int           // bytes of the reply that Truncate lets through
	Delay  time.Duration // before the reply, or what stands in for it; 0 is at once
}

// Counts says what a proxy has done so far. A fault counts from the moment it is
// chosen, before its request reaches the server.
type Counts struct {
	Requests int64 // EVAL and EVALSHA that came in, faulted or not

	Swallowed, Cut, Truncated, Dropped int64
	Delayed                            int64 // with or without one of the above
}

// Proxy passes bytes between clients and one server and breaks what its fault
// function tells it to. Only EVALSHA and EVAL can be broken: all else, such as what
// a client says when it connects, passes and counts for nothing. A connection's
// requests may be pipelined; subscriptions and MONITOR are beyond it.
type Proxy struct {
	Addr string // where clients connect

	upstream string
	ln       net.Listener
	ctx      context.Context // ends with the proxy
	cancel   context.CancelFunc
	running  sync.WaitGroup

	mu     sync.Mutex
	fault  func(n int64) Fault
	counts Counts
}

// StartProxy starts a proxy before the server at upstream and stops it when t ends.
// fault is asked about each request that counts, the n-th of this proxy since it
// started, n from 1; calls never overlap, so it may keep state. Nil breaks nothing.
func StartProxy(t testing.TB, upstream string, fault func(n int64) Fault) *Proxy {
	t.Helper()
	ln, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Addr: ln.Addr().String(), upstream: upstream, ln: ln, fault: fault}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.running.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// SetFault replaces the fault function. Requests the proxy has asked about keep
// the fault they got.
func (p *Proxy) SetFault(fault func(n int64) Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = fault
}

// Counts returns what the proxy has done so far.
func (p *Proxy) Counts() Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts
}

// close ends every connection and returns when the last goroutine has ended.
func (p *Proxy) close() {
	p.cancel()
	_ = p.ln.Close()
	p.running.Wait()
}

func (p *Proxy) accept() {
	for {
		client, err := p.ln.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.serve(client) })
	}
}

// serve joins client to a connection of its own to the server. Whichever side ends
// takes the other with it: a server must see that its client has gone.
func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := new(net.Dialer).DialContext(p.ctx, "tcp", p.upstream)
	if err != nil {
		return
	}
	defer server.Close()
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	context.AfterFunc(ctx, func() {
		_ = client.Close()
		_ = server.Close()
	})
	l := &link{client: client, server: server}
	p.running.Go(func() {
		defer cancel()
		l.replies(ctx)
	})
	l.requests(p.choose)
}

// choose counts request and returns its fault.
func (p *Proxy) choose(request []byte) Fault {
	c := command(request)
	if !bytes.EqualFold(c, []byte("EVALSHA")) && !bytes.EqualFold(c, []byte("EVAL")) {
		return Fault{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts.Requests++
	if p.fault == nil {
		return Fault{}
	}
	f := p.fault(p.counts.Requests)
	p.counts.add(f)
	return f
}

func (c *Counts) add(f Fault) {
	switch f.Action {
	case Swallow:
		c.Swallowed++
	case Cut:
		c.Cut++
	case Truncate:
		c.Truncated++
	case Drop:
		c.Dropped++
	}
	if f.Delay > 0 {
		c.Delayed++
	}
}

// link is one client's connection and the one made to the server on its behalf.
type link struct {
	client, server net.Conn

	mu  sync.Mutex
	due []Fault // of the requests the server has not answered yet, oldest first
}

// requests passes requests on until the client leaves or a fault ends that.
func (l *link) requests(choose func([]byte) Fault) {
	r := bufio.NewReader(l.client)
	for {
		request, err := readValue(r)
		if err != nil {
			return
		}
		f := choose(request)
		if f.Action == Drop {
			return
		}
		l.push(f) // before the server can answer
		if _, err := l.server.Write(request); err != nil {
			return
		}
		if f.Action != Pass {
			_, _ = io.Copy(io.Discard, r) // until the client leaves or replies closes
			return
		}
	}
}

// replies passes replies on until the server leaves or a fault ends that.
func (l *link) replies(ctx context.Context) {
	r := bufio.NewReader(l.server)
	for {
		reply, err := readValue(r)
		if err != nil {
			return
		}
		var f Fault
		if reply[0] != '>' { // a push answers no request
			f = l.pop()
		}
		if !l.deliver(ctx, reply, f) {
			return
		}
	}
}

// deliver hands reply to the client as far as f lets it, and reports whether the
// next one may follow.
func (l *link) deliver(ctx context.Context, reply []byte, f Fault) bool {
	if f.Delay > 0 {
		select {
		case <-time.After(f.Delay):
		case <-ctx.Done():
		}
	}
	switch f.Action {
	case Swallow:
		<-ctx.Done()
		return false
	case Cut:
		return false
	case Truncate:
		reply = reply[:min(max(f.Keep, 0), len(reply))]
	}
	_, err := l.client.Write(reply)
	return err == nil && f.Action == Pass
}

func (l *link) push(f Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.due = append(l.due, f)
}

// pop returns the fault of the oldest request without an answer. A server that
// speaks unasked, to turn a client away, meets none.
func (l *link) pop() Fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.due) == 0 {
		return Fault{}
	}
	f := l.due[0]
	l.due = l.due[1:]
	return f
}
