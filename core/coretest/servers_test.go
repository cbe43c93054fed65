package coretest

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func TestEachRunsOnEveryKind(t *testing.T) {
	field := map[Kind]string{
		Redis7: "redis_version:7.", Redis8: "redis_version:8.", Valkey9: "valkey_version:9.",
	}
	ran := map[Kind]bool{}
	Each(t, func(t *testing.T, s *Server) {
		ran[s.Kind] = true
		if !strings.HasSuffix(t.Name(), "/"+string(s.Kind)) {
			t.Errorf("subtest for %s is called %s", s.Kind, t.Name())
		}
		info, err := s.Client(t).Info(t.Context(), "server").Result()
		if err != nil || !strings.Contains(info, field[s.Kind]) {
			t.Errorf("INFO: %v, want %s in it:\n%s", err, field[s.Kind], info)
		}
		if again := Shared(t, s.Kind); again != s {
			t.Errorf("Shared gave %s, then %s", s.Addr, again.Addr)
		}
	})
	if ran[Mini] {
		t.Error("Each ran on miniredis")
	}
}

func TestEachWithMiniRunsOnMiniredisToo(t *testing.T) {
	ran := map[Kind]string{}
	EachWithMini(t, func(t *testing.T, s *Server) {
		ran[s.Kind] = s.Addr
		if got := echo(t, s); got != "hello" {
			t.Errorf("echoed %q", got)
		}
	})
	if ran[Mini] == "" {
		t.Errorf("ran on %v, want miniredis among them", ran)
	}
}

func echo(t *testing.T, s *Server) string {
	t.Helper()
	got, err := s.Client(t).Echo(t.Context(), "hello").Result()
	if err != nil {
		t.Error(err)
	}
	return got
}

func TestStartPassesArgumentsAndCleansUp(t *testing.T) {
	for _, k := range Kinds {
		t.Run(string(k), func(t *testing.T) {
			t.Parallel()
			var s *Server
			t.Run("while it runs", func(t *testing.T) {
				s = Start(t, k, "--maxmemory", "50mb", "--requirepass", "secret")
				c := s.Client(t, func(o *redis.Options) { o.Password = "secret" })
				got := c.ConfigGet(t.Context(), "maxmemory").Val()["maxmemory"]
				if got != "52428800" {
					t.Errorf("maxmemory is %q", got)
				}
			})
			if s == nil {
				t.Skip("no server")
			}
			if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is still there: %v", s.dir, err)
			}
			if answers(s.Addr) {
				t.Error("the server outlived its test")
			}
		})
	}
}

func TestKillAndRestart(t *testing.T) {
	for _, k := range append([]Kind{Mini}, Kinds...) {
		t.Run(string(k), func(t *testing.T) {
			t.Parallel()
			s := Start(t, k)
			c := s.Client(t, func(o *redis.Options) { o.MaxRetries, o.DialerRetries = -1, 1 })
			if err := c.Set(t.Context(), "k", "v", 0).Err(); err != nil {
				t.Fatal(err)
			}
			s.Kill()
			if err := c.Get(t.Context(), "k").Err(); err == nil {
				t.Error("a killed server answered")
			}
			s.Restart(t)
			var want error = redis.Nil // what a real server forgets miniredis keeps
			if k == Mini {
				want = nil
			}
			if err := s.Client(t).Get(t.Context(), "k").Err(); !errors.Is(err, want) {
				t.Errorf("after a restart: %v, want %v", err, want)
			}
			s.Stop()
			s.Stop()
		})
	}
}

func TestPauseAndResume(t *testing.T) {
	for _, k := range Kinds {
		t.Run(string(k), func(t *testing.T) {
			t.Parallel()
			s := Start(t, k)
			c := s.Client(t, func(o *redis.Options) { o.MaxRetries = -1 })
			if err := c.Ping(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
			s.Pause()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if err := c.Incr(ctx, "k").Err(); !timedOut(err) {
				t.Errorf("paused: %v, want a timeout", err)
			}
			s.Resume()
			// It was frozen, not deaf: the request waited in its socket.
			if n, err := c.Incr(t.Context(), "k").Result(); n != 2 || err != nil {
				t.Errorf("resumed: %d, %v; want 2", n, err)
			}
			s.Pause() // and a paused server can be stopped, below
		})
	}
}

// timedOut reports whether err is a deadline's, by whichever of the context and
// the socket it was noticed.
func timedOut(err error) bool {
	var n net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &n) && n.Timeout()
}

func TestMiniHasNoProcessToPause(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Pause did nothing, in silence")
		}
	}()
	Start(t, Mini).Pause()
}

// A stranger on the port must not pass for the server that failed to bind it.
func TestTakenPortIsNoticed(t *testing.T) {
	for _, k := range Kinds {
		t.Run(string(k), func(t *testing.T) {
			t.Parallel()
			stranger := Start(t, k)
			_, port, _ := net.SplitHostPort(stranger.Addr)
			taken, err := net.LookupPort("tcp", port)
			if err != nil {
				t.Fatal(err)
			}
			offers := []int{taken, taken}
			s := startOn(t, k, func() (int, error) {
				if len(offers) == 0 {
					return freePort()
				}
				p := offers[0]
				offers = offers[1:]
				return p, nil
			}, nil)
			if s.Addr == stranger.Addr || !answers(s.Addr) {
				t.Errorf("runs at %s, the stranger at %s", s.Addr, stranger.Addr)
			}
		})
	}
}

func TestArgumentsTheServerRefusesAreReported(t *testing.T) {
	for _, k := range Kinds {
		t.Run(string(k), func(t *testing.T) {
			Shared(t, k) // skips where there is none
			s, err := open(k, freePort, []string{"--no-such-setting", "1"})
			if err == nil {
				s.close()
				t.Fatal("it started")
			}
			if !strings.Contains(err.Error(), "no-such-setting") {
				t.Errorf("error does not say why: %v", err)
			}
		})
	}
}

func TestChildUsesEachKind(t *testing.T) {
	onlyAsChild(t)
	Each(t, func(*testing.T, *Server) {})
	t.Run("again", func(t *testing.T) { Shared(t, Redis7) })
}

func TestAbsentBinaries(t *testing.T) {
	bare := []string{"PATH=" + t.TempDir(), "SLIDEGATE_REDIS7=", "SLIDEGATE_REDIS8=", "SLIDEGATE_VALKEY9="}
	for _, c := range []struct {
		name, require, outcome string
		fails                  bool
	}{
		{"are skipped", "", "--- SKIP", false},
		{"fail where required", "1", "--- FAIL", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			child := again(t, "TestChildUsesEachKind", append(bare, "SLIDEGATE_REQUIRE_SERVERS="+c.require)...)
			var notices strings.Builder
			child.Stderr = &notices
			out, err := child.Output()
			if (err != nil) != c.fails {
				t.Errorf("child ended with %v:\n%s", err, out)
			}
			for _, k := range Kinds {
				if want := c.outcome + ": TestChildUsesEachKind/" + string(k); !strings.Contains(string(out), want) {
					t.Errorf("output lacks %q:\n%s", want, out)
				}
				said := strings.Count(notices.String(), string(k)+" is missing: set "+sources[k].env)
				if !c.fails && said != 1 {
					t.Errorf("%s named %d times, want once:\n%s", k, said, notices.String())
				}
			}
		})
	}
}

// Whoever sets a variable believes the tests use what it names.
func TestVariableWithTheWrongServerIsAnError(t *testing.T) {
	other := script(t, "redis-server", "Redis server v=6.2.1 sha=0")
	for _, path := range []string{other, filepath.Join(t.TempDir(), "none")} {
		t.Setenv("SLIDEGATE_REDIS8", path)
		_, err := Redis8.binary()
		if err == nil || !strings.Contains(err.Error(), "SLIDEGATE_REDIS8") {
			t.Errorf("%s: %v, want an error that names the variable", path, err)
		}
		if _, absent := errors.AsType[*absentError](err); absent {
			t.Errorf("%s counts as absent: %v", path, err)
		}
	}
}

func TestPathIsSearchedByVersion(t *testing.T) {
	plain := script(t, "redis-server", "Redis server v=7.4.2 sha=0")
	numbered := script(t, "redis-server-8", "Redis server v=8.2.0 sha=0")
	t.Setenv("PATH", filepath.Dir(plain)+string(os.PathListSeparator)+filepath.Dir(numbered)+
		string(os.PathListSeparator)+os.Getenv("PATH")) // the scripts need a shell's echo
	for k, want := range map[Kind]string{Redis7: plain, Redis8: numbered} {
		t.Setenv(sources[k].env, "")
		if got, err := k.binary(); got != want || err != nil {
			t.Errorf("%s: %s, %v; want %s", k, got, err, want)
		}
	}
}

// script makes an executable of that name that prints line.
func script(t *testing.T, name, line string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho '"+line+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}
