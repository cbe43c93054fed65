// Quickstart is a web server that limits each client to 5 requests in 10
// seconds. It asks itself eight times over real HTTP, shows what the client
// saw, and goes on serving for your own curl.
//
//	go run ./examples/quickstart          # REDIS_URL, or a Redis inside the process
//	go run ./examples/quickstart -once    # ends after the table
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"text/tabwriter"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

var policy = core.Policy{Name: "quickstart", Limit: 5, Window: 10 * time.Second}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	once := flag.Bool("once", false, "end after the table")
	addr := flag.String("addr", "127.0.0.1:8080", "where to serve")
	flag.Parse()
	if err := run(ctx, os.Stdout, os.Getenv("REDIS_URL"), *addr, *once); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, redisURL, addr string, once bool) error {
	rdb, closeRedis, err := connect(ctx, out, redisURL)
	if err != nil {
		return err
	}
	defer closeRedis()
	rl, err := core.New(rdb)
	if err != nil {
		return err
	}
	defer rl.Close()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("cannot serve on %s (%w); choose another with -addr host:port", addr, root(err))
	}
	server := &http.Server{Handler: nethttp.Limit(rl, policy, keyfuncs.IP)(http.HandlerFunc(hello))}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	defer server.Close()
	if err := demonstrate(ctx, out, rl, "http://"+listener.Addr().String()); err != nil || once {
		return err
	}
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return nil
	}
}

func hello(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello") }

// connect uses the Redis at url, or starts one inside the process.
func connect(ctx context.Context, out io.Writer, url string) (*redis.Client, func(), error) {
	if url == "" {
		embedded, err := miniredis.Run()
		if err != nil {
			return nil, nil, fmt.Errorf("cannot start a Redis inside the process: %w", err)
		}
		fmt.Fprintln(out, "Redis: one inside this process (set REDIS_URL=redis://host:6379 to use yours)")
		rdb := redis.NewClient(&redis.Options{Addr: embedded.Addr(), ContextTimeoutEnabled: true})
		return rdb, func() { rdb.Close(); embedded.Close() }, nil
	}
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, nil, fmt.Errorf("REDIS_URL cannot be used (%w); want redis://[user:password@]host:port/db", root(err))
	}
	options.ContextTimeoutEnabled = true
	options.DialerRetries, options.MaxRetries = 1, -1
	redis.SetLogger(quiet{}) // what goes wrong is said once, below
	rdb := redis.NewClient(options)
	if err := ping(ctx, rdb); err != nil {
		rdb.Close()
		return nil, nil, fmt.Errorf("no Redis answers at REDIS_URL, %s (%w); start it, or unset REDIS_URL to use one inside the process", options.Addr, root(err))
	}
	fmt.Fprintln(out, "Redis: REDIS_URL,", options.Addr)
	return rdb, func() { rdb.Close() }, nil
}

// quiet drops what go-redis logs of each attempt to connect.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

func ping(ctx context.Context, rdb *redis.Client) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return rdb.Ping(ctx).Err()
}

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

// demonstrate asks the server eight times and shows what it answered.
func demonstrate(ctx context.Context, out io.Writer, rl *core.Limiter, url string) error {
	// An earlier run may have spent the allowance of this address.
	if err := rl.Reset(ctx, policy, "127.0.0.1"); err != nil {
		return err
	}
	fmt.Fprintf(out, "Limit: %d requests in %v for each client address\n\n", policy.Limit, policy.Window)
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "request\tstatus\tRetry-After\tremaining")
	for i := range 8 {
		answer, err := ask(ctx, url)
		if err != nil {
			return err
		}
		h := answer.Header
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\n", i+1, answer.Status, orDash(h.Get("Retry-After")), orDash(h.Get("X-RateLimit-Remaining")))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nYour turn: curl -i %s\n", url)
	return nil
}

func ask(ctx context.Context, url string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return answer, errors.Join(err, answer.Body.Close())
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
