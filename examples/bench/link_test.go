package main

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// What goes in comes out, in order, whole, and not before its time.
func TestSlowLink(t *testing.T) {
	const late = 20 * time.Millisecond
	client, began := dialSlow(t, late), time.Now()
	want := strings.Repeat("0123456789", 20_000)
	go func() { _, _ = io.WriteString(client, want) }()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(client, got); err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("the echo is not what was sent")
	}
	if took := time.Since(began); took < 2*late {
		t.Errorf("there and back took %v, want %v or more", took, 2*late)
	}
}

func TestSlowLinkWithoutServer(t *testing.T) {
	link := listen(t)
	gone := listen(t)
	_ = gone.Close()
	go slowLink{gone.Addr().String(), 0}.serve(link)
	client, err := net.Dial("tcp", link.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if n, err := client.Read(make([]byte, 1)); err == nil {
		t.Errorf("read %d bytes of nobody", n)
	}
}

func TestLinkCommandWantsTwoArguments(t *testing.T) {
	err := start(t.Context(), []string{linkCommand, "1ms"})
	if err == nil || exitCode(err) != 2 {
		t.Errorf("error is %v", err)
	}
}

// dialSlow connects to an echo over a slow link.
func dialSlow(t *testing.T, late time.Duration) net.Conn {
	echo, link := listen(t), listen(t)
	go func() {
		if c, err := echo.Accept(); err == nil {
			_, _ = io.Copy(c, c)
		}
	}()
	go slowLink{echo.Addr().String(), late}.serve(link)
	client, err := net.Dial("tcp", link.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func listen(t *testing.T) net.Listener {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	return ln
}
