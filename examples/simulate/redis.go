package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// A server is a Redis that one worker runs its simulations on, one at a time.
type server struct {
	rdb      *redis.Client
	embedded *miniredis.Miniredis // nil where REDIS_URL named one
	watch    *watch
}

// connect starts a Redis inside the process, or uses the one at url.
func connect(ctx context.Context, url string) (*server, error) {
	if url == "" {
		return embed()
	}
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, usageError{fmt.Errorf("REDIS_URL cannot be used (%w); want redis://[user:password@]host:port/db", root(err))}
	}
	options.DialerRetries, options.MaxRetries = 1, -1
	redis.SetLogger(quiet{}) // what goes wrong is said once, below
	s := newServer(options)
	if err := s.ping(ctx); err != nil {
		s.close()
		return nil, fmt.Errorf("no Redis answers at REDIS_URL, %s (%w); start it, or unset REDIS_URL to use one inside the process", options.Addr, root(err))
	}
	return s, nil
}

func embed() (*server, error) {
	mini := miniredis.NewMiniRedis()
	dial := func(context.Context, string, string) (net.Conn, error) { return mini.Dial() }
	s := newServer(&redis.Options{Dialer: dial})
	s.embedded = mini
	return s, nil
}

func newServer(options *redis.Options) *server {
	options.ContextTimeoutEnabled = true
	s := &server{rdb: redis.NewClient(options), watch: &watch{}}
	s.rdb.AddHook(s.watch)
	return s
}

func (s *server) close() {
	s.rdb.Close()
	if s.embedded != nil {
		s.embedded.Close()
	}
}

func (s *server) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return s.rdb.Ping(ctx).Err()
}

// name is what the server calls itself, such as Redis 7.0.15.
func (s *server) name(ctx context.Context) string {
	if s.embedded != nil {
		return "miniredis, inside this process"
	}
	info := parseInfo(s.rdb.Info(ctx, "server").Val())
	for _, kind := range []struct{ field, name string }{{"valkey_version", "Valkey "}, {"redis_version", "Redis "}} {
		if version := info[kind.field]; version != "" {
			return kind.name + version
		}
	}
	return "Redis"
}

// cpu is what the server's main thread has used so far; false where the server
// does not say.
func (s *server) cpu(ctx context.Context) (µs float64, ok bool) {
	if s.embedded != nil {
		return 0, false
	}
	info := parseInfo(s.rdb.Info(ctx, "cpu").Val())
	system, err := strconv.ParseFloat(info["used_cpu_sys_main_thread"], 64)
	user, alsoErr := strconv.ParseFloat(info["used_cpu_user_main_thread"], 64)
	return (system + user) * 1e6, err == nil && alsoErr == nil
}

// means says how far the figures about the server go: what a PING costs it is one
// to hold the others against, for machines differ and have neighbours.
func (s *server) means(ctx context.Context) string {
	if s.embedded != nil {
		return "Bytes and CPU are dashes here: miniredis has neither. REDIS_URL=redis://host:6379 measures them on a real Redis."
	}
	const pings = 2000
	before, ok := s.cpu(ctx)
	for range pings {
		s.rdb.Ping(ctx)
	}
	after, _ := s.cpu(ctx)
	if !ok {
		return "CPU is a dash here: INFO cpu of this server does not tell the main thread's."
	}
	return fmt.Sprintf("A PING costs this Redis %.1f µs of CPU; a decision's figure holds as much for its round trip.", (after-before)/pings)
}

func parseInfo(text string) map[string]string {
	info := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		info[name] = value
	}
	return info
}

// largest is the size of the largest key of this simulation, 0 where unknown:
// miniredis answers too, but not with what a Redis would need.
func (s *server) largest(ctx context.Context) (bytes int64) {
	if s.embedded != nil {
		return 0
	}
	for _, answer := range s.each(ctx, func(p redis.Pipeliner, key string) { p.MemoryUsage(ctx, key, 0) }) {
		if size, ok := answer.(*redis.IntCmd); ok && size.Err() == nil {
			bytes = max(bytes, size.Val())
		}
	}
	return bytes
}

// keep takes the expiry off all keys of this simulation. Keys expire by the real
// clock, which a slow machine lets run ahead of the virtual one; state is judged
// by its content alone, so that one which stays too long changes no answer.
func (s *server) keep(ctx context.Context) {
	if s.embedded == nil { // miniredis expires nothing unless it is told to
		s.each(ctx, func(p redis.Pipeliner, key string) { p.Persist(ctx, key) })
	}
}

// remove deletes all keys of this simulation, and no others of a Redis that is
// not ours.
func (s *server) remove(ctx context.Context) error {
	defer func() { s.watch.keys = nil }()
	if s.embedded != nil {
		s.embedded.FlushAll()
		return nil
	}
	for _, answer := range s.each(ctx, func(p redis.Pipeliner, key string) { p.Del(ctx, key) }) {
		if answer.Err() != nil {
			return fmt.Errorf("keys of this run are left to expire: %w", root(answer.Err()))
		}
	}
	return nil
}

// each sends a command for each key, some hundreds at a time.
func (s *server) each(ctx context.Context, command func(redis.Pipeliner, string)) (answers []redis.Cmder) {
	pipe := s.rdb.Pipeline()
	flush := func() {
		some, _ := pipe.Exec(ctx) // each answer has its own error
		answers = append(answers, some...)
	}
	for key := range s.watch.keys {
		if command(pipe, key); pipe.Len() >= 500 {
			flush()
		}
	}
	flush()
	return answers
}

// A watch notes which keys scripts were given, and how many commands went out one
// at a time. One goroutine uses it.
type watch struct {
	keys  map[string]bool
	trips int64
}

func (w *watch) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		w.trips++
		if args := cmd.Args(); len(args) > 3 && strings.HasPrefix(cmd.Name(), "eval") {
			w.note(fmt.Sprint(args[3]))
		}
		return next(ctx, cmd)
	}
}

func (w *watch) note(key string) {
	if w.keys == nil {
		w.keys = map[string]bool{}
	}
	w.keys[key] = true
}

func (w *watch) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (w *watch) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// quiet drops what go-redis logs of each attempt to connect.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

// root is the innermost error, which says why in a few words.
func root(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}
