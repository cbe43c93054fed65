package coretest

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// host is where everything listens; nothing here is for other machines.
const host = "127.0.0.1"

// tries bounds the attempts at a port that others may take first.
const tries = 5

// Server is a running server that no one else has data on. Its methods may be
// called from any goroutine, but Stop, Kill and Restart one at a time.
type Server struct {
	Kind Kind
	Addr string // host:port, the same after Restart
	// Mini is the miniredis behind a server of that kind, for its clock and its
	// raw state; nil for the others.
	Mini *miniredis.Miniredis

	binary string
	args   []string
	dir    string // log, and whatever args have the server write
	proc   *process
}

// Options returns settings for a client of s: go-redis's own but for
// ContextTimeoutEnabled, without which no deadline holds.
func (s *Server) Options() *redis.Options {
	return &redis.Options{
		Addr: s.Addr, ContextTimeoutEnabled: true,
		PoolTimeout: time.Minute, // thousands of callers on a busy machine wait for a connection
	}
}

// Client returns a client of s that is closed when t ends. Each tweak may change
// its options first.
func (s *Server) Client(t testing.TB, tweak ...func(*redis.Options)) *redis.Client {
	t.Helper()
	opt := s.Options()
	for _, change := range tweak {
		change(opt)
	}
	c := redis.NewClient(opt)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Stop ends the server in an orderly way. Stopping one that has ended does nothing.
func (s *Server) Stop() {
	if s.Mini != nil {
		s.Mini.Close()
		return
	}
	s.proc.stop()
}

// Kill ends the server as a crash would: what it was doing stays half done.
func (s *Server) Kill() {
	if s.Mini != nil {
		s.Mini.Close()
		return
	}
	s.proc.kill()
}

// Pause freezes the server: the kernel goes on accepting connections and their
// bytes for it, and nothing answers. It panics for Mini, which has no process.
func (s *Server) Pause() { s.process("Pause").signal(stopSignal) }

// Resume lets a paused server go on where it stood, with all that came meanwhile.
func (s *Server) Resume() { s.process("Resume").signal(contSignal) }

func (s *Server) process(verb string) *process {
	if s.proc == nil {
		panic(fmt.Sprintf("coretest: %s: %s has no process of its own", verb, s.Kind))
	}
	return s.proc
}

// Restart stops the server if it still runs and starts it again at the same
// address. It comes back empty, unless its args or being Mini make it keep its data.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.Stop()
	err := s.launch()
	// Someone's outgoing connection may have been given the port meanwhile.
	for end := time.Now().Add(readyWait); err != nil && time.Now().Before(end); err = s.launch() {
		time.Sleep(poll)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// open starts a server of kind k. Between the moment a port is found free and the
// moment the server binds it someone else may take it; then another is tried.
func open(k Kind, port func() (int, error), args []string) (*Server, error) {
	if k == Mini {
		return openMini()
	}
	binary, err := k.binary()
	if err != nil {
		return nil, err
	}
	s := &Server{Kind: k, binary: binary, args: args}
	if s.dir, err = os.MkdirTemp("", "coretest-"); err != nil {
		return nil, err
	}
	for range tries {
		if err = s.openAt(port); err == nil {
			return s, nil
		}
	}
	_ = os.RemoveAll(s.dir)
	return nil, err
}

func openMini() (*Server, error) {
	m, err := miniredis.Run()
	if err != nil {
		return nil, err
	}
	return &Server{Kind: Mini, Addr: m.Addr(), Mini: m}, nil
}

func (s *Server) openAt(port func() (int, error)) error {
	p, err := port()
	if err != nil {
		return err
	}
	s.Addr = net.JoinHostPort(host, strconv.Itoa(p))
	return s.launch()
}

// close ends the server and removes what it wrote.
func (s *Server) close() {
	s.Stop()
	_ = os.RemoveAll(s.dir)
}
