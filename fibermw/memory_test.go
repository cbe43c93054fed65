package fibermw_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/fibermw"
	"github.com/slidegate/slidegate/keyfuncs"
)

// recorder is an engine that keeps the keys it is given, and answers late.
type recorder struct {
	mu   sync.Mutex
	keys []string
}

func (e *recorder) AllowN(_ context.Context, p core.Policy, key string, cost int64) (core.Decision, error) {
	for range 20 { // late enough for other requests to reuse what fiber takes back
		runtime.Gosched()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.keys = append(e.keys, key)
	return core.Decision{Policy: p, Cost: cost, Allowed: true, Remaining: 1}, nil
}

func (e *recorder) AllowAll(ctx context.Context, charges ...core.Charge) (ds []core.Decision, err error) {
	for _, c := range charges {
		d, err := e.AllowN(ctx, c.Policy, c.Key, c.Cost)
		if err != nil {
			return nil, err
		}
		ds = append(ds, d)
	}
	return ds, nil
}

const (
	clients = 20
	each    = 500 // 10,000 requests in all
)

// Keys outlive the request, and fiber's memory does not: each key that was
// sent must be what the engine still holds when all requests are over.
func TestKeysSurviveTheirRequests(t *testing.T) {
	own := fibermw.Key(func(c *fiber.Ctx) (string, error) { return c.Params("id"), nil })
	naive := func(r keyfuncs.Request) (string, error) { return r.HeaderValues("X-Client")[0], nil }
	path := func(r keyfuncs.Request) (string, error) { return r.Path(), nil }
	local := keyfuncs.UserID("uid")
	e := &recorder{}
	p := core.PerMinute("all", 1)
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/:id", func(c *fiber.Ctx) error { c.Locals("uid", c.Query("uid")); return c.Next() },
		fibermw.LimitWith(e, p, own, []guard.Option{
			guard.And(core.PerMinute("b", 1), naive), guard.And(core.PerMinute("c", 1), path), guard.And(core.PerMinute("d", 1), local)}),
		func(c *fiber.Ctx) error { return c.SendString("ok") })
	addr := listen(t, app)
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() { chat(t, addr, client) })
	}
	wg.Wait()
	got := map[string]int{}
	for _, key := range e.keys {
		got[key]++
	}
	for i := range clients * each {
		id := fmt.Sprintf("%08d", i)
		for _, key := range []string{"p" + id, "h" + id, "/p" + id, "u" + id} {
			if got[key] != 1 {
				t.Fatalf("key %s came %d times, want once", key, got[key])
			}
		}
	}
	if len(got) != 4*clients*each {
		t.Errorf("%d keys recorded, want %d", len(got), 4*clients*each)
	}
}

// chat sends a client's requests over one connection.
func chat(t *testing.T, addr string, client int) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	in := bufio.NewReader(c)
	for i := range each {
		id := fmt.Sprintf("%08d", client*each+i)
		fmt.Fprintf(c, "GET /p%s?uid=u%s HTTP/1.1\r\nHost: x\r\nX-Client: h%s\r\n\r\n", id, id, id)
		r, err := http.ReadResponse(in, nil)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Errorf("request %s: %v, %v", id, r, err)
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
			return
		}
		_ = r.Body.Close()
	}
}
