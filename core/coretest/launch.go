package coretest

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	readyWait = 20 * time.Second       // a machine slower than this can run no tests
	pingWait  = time.Second            // for one answer of a server that is up
	poll      = 5 * time.Millisecond   // between two looks at something awaited
	readyLine = "Ready to accept conn" // in the log of all three kinds
	logTail   = 2000                   // bytes of a log worth printing
)

// launch starts the server at s.Addr and returns once it answers there.
func (s *Server) launch() error {
	if s.Mini != nil {
		return s.Mini.Restart()
	}
	log, err := os.OpenFile(s.log(), os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	if s.proc, err = spawn(s.binary, s.commandLine(), log); err != nil {
		return err
	}
	return s.awaitReady()
}

func (s *Server) log() string { return filepath.Join(s.dir, "log") }

// commandLine keeps the server to the loopback and, unless args say otherwise, to
// memory.
func (s *Server) commandLine() []string {
	_, port, _ := net.SplitHostPort(s.Addr) // composed by openAt
	own := []string{
		"--port", port, "--bind", host, "--daemonize", "no",
		"--save", "", "--appendonly", "no", "--dir", s.dir, "--logfile", s.log(),
	}
	return append(own, s.args...)
}

// awaitReady returns when the server is ready, has ended, or takes too long.
func (s *Server) awaitReady() error {
	for end := time.Now().Add(readyWait); time.Now().Before(end); time.Sleep(poll) {
		if s.ready() {
			return nil
		}
		if s.proc.ended() {
			return fmt.Errorf("coretest: %s ended at once: %s", s.Kind, s.lastWords())
		}
	}
	s.proc.kill()
	return fmt.Errorf("coretest: %s not ready after %v: %s", s.Kind, readyWait, s.lastWords())
}

// ready asks the log before it asks the port: where another process won the port,
// that one would answer, and the test would run on a stranger's data.
func (s *Server) ready() bool {
	log, err := os.ReadFile(s.log())
	return err == nil && bytes.Contains(log, []byte(readyLine)) && answers(s.Addr)
}

// answers reports whether PING gets PONG, or a demand for a password, at addr.
func answers(addr string) bool {
	c, err := net.DialTimeout("tcp", addr, pingWait)
	if err != nil {
		return false
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(pingWait))
	if _, err := c.Write([]byte("PING\r\n")); err != nil {
		return false
	}
	line, _ := bufio.NewReader(c).ReadString('\n')
	return line == "+PONG\r\n" || strings.HasPrefix(line, "-NOAUTH ")
}

func (s *Server) lastWords() string {
	log, _ := os.ReadFile(s.log())
	return string(log[max(0, len(log)-logTail):])
}

// freePort returns a loopback port that is free at the moment.
func freePort() (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
