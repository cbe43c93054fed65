package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// A server is the Redis that all contenders load, and the rig's own connection to
// it, which never goes over the slow link.
type server struct {
	target redis.Options
	admin  *redis.Client
	stop   func() // ends the process, where it is ours
}

// findServer uses the Redis at addr, starts the one that SLIDEGATE_REDIS7 names, or
// uses the one at REDIS_URL, whichever is given first.
func findServer(ctx context.Context, addr string, getenv func(string) string) (*server, error) {
	binary, url := getenv("SLIDEGATE_REDIS7"), getenv("REDIS_URL")
	switch {
	case addr != "":
		return connect(ctx, "-addr", addr)
	case binary != "":
		return launch(ctx, binary)
	case url != "":
		return connect(ctx, "REDIS_URL", url)
	}
	return nil, errors.New("there is no Redis to load: set SLIDEGATE_REDIS7 to the path of a redis-server, or REDIS_URL, or give -addr")
}

// connect uses the Redis that source, a flag or a variable, says is at where.
func connect(ctx context.Context, source, where string) (*server, error) {
	if !strings.Contains(where, "://") {
		where = "redis://" + where
	}
	target, err := redis.ParseURL(where)
	if err != nil {
		return nil, usageError{fmt.Errorf("%s cannot be used (%w); want host:port or redis://[user:password@]host:port/db", source, err)}
	}
	if target.Network == "unix" {
		return nil, usageError{fmt.Errorf("%s is a Unix socket; want TCP, which the slow link needs", source)}
	}
	s := &server{target: *target, admin: redis.NewClient(target), stop: func() {}}
	if err := s.ping(ctx); err != nil {
		s.close()
		return nil, fmt.Errorf("no Redis answers at %s, %s (%w)", source, target.Addr, err)
	}
	return s, nil
}

func (s *server) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return s.admin.Ping(ctx).Err()
}

func (s *server) close() {
	_ = s.admin.Close()
	s.stop()
}

// name is what the server calls itself, such as Redis 7.0.15.
func (s *server) name(ctx context.Context) string {
	info := s.info(ctx, "server")
	if version := info["valkey_version"]; version != "" {
		return "Valkey " + version
	}
	return "Redis " + info["redis_version"]
}

// cpu is what the server's main thread has used so far; NaN where it does not say.
func (s *server) cpu(ctx context.Context) (µs float64) {
	info := s.info(ctx, "cpu")
	system, err := strconv.ParseFloat(info["used_cpu_sys_main_thread"], 64)
	user, alsoErr := strconv.ParseFloat(info["used_cpu_user_main_thread"], 64)
	if err != nil || alsoErr != nil {
		return unknown
	}
	return (system + user) * 1e6
}

func (s *server) info(ctx context.Context, section string) map[string]string {
	info := map[string]string{}
	for line := range strings.Lines(s.admin.Info(ctx, section).Val()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		info[name] = value
	}
	return info
}
