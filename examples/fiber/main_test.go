package main

import (
	"net"
	"testing"

	"github.com/slidegate/slidegate/examples/internal/demotest"
)

func TestApp(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := app(demotest.Limiter(t))
	done := make(chan error, 1)
	go func() { done <- f.Listener(listener) }()
	demotest.Check(t, "http://"+listener.Addr().String())
	if err := f.Shutdown(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
