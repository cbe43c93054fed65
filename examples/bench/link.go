package main

import (
	"io"
	"net"
	"time"
)

// A slowLink passes bytes between clients and upstream, each way later by delay. It
// is late, not narrow: bytes on their way do not hold up those behind them.
type slowLink struct {
	upstream string
	delay    time.Duration
}

// serve joins clients to upstream until ln is closed.
func (l slowLink) serve(ln net.Listener) {
	for {
		client, err := ln.Accept()
		if err != nil {
			return
		}
		go l.join(client)
	}
}

// join ends both connections when either does.
func (l slowLink) join(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", l.upstream)
	if err != nil {
		return
	}
	defer server.Close()
	done := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		go func() {
			l.pass(way[0], way[1])
			done <- struct{}{}
		}()
	}
	<-done
}

// A parcel is some bytes and when they arrive.
type parcel struct {
	bytes []byte
	due   time.Time
}

// pass carries what comes from one side to the other until one of them ends.
func (l slowLink) pass(from io.Reader, to io.Writer) {
	under := make(chan parcel, 4096) // way; full, it makes the sender wait
	go l.collect(from, under)
	for p := range under {
		time.Sleep(time.Until(p.due))
		if _, err := to.Write(p.bytes); err != nil {
			break
		}
	}
	go func() { // collect ends once its connection is closed
		for range under {
		}
	}()
}

func (l slowLink) collect(from io.Reader, under chan<- parcel) {
	defer close(under)
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		under <- parcel{append([]byte(nil), buffer[:n]...), time.Now().Add(l.delay)}
	}
}
