package nethttp_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

// A whole mux behind one limit for each client address.
func ExampleLimit() {
	embedded, err := miniredis.Run() // your Redis's address in place of this
	if err != nil {
		log.Fatal(err)
	}
	defer embedded.Close()
	rdb := redis.NewClient(&redis.Options{Addr: embedded.Addr(), ContextTimeoutEnabled: true})
	defer rdb.Close()
	rl, err := core.New(rdb)
	if err != nil {
		log.Fatal(err)
	}
	defer rl.Close()

	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello") })
	h := nethttp.Limit(rl, core.PerMinute("api", 2), keyfuncs.IP)(mux)

	for range 3 {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
		fmt.Println(answer.Code, answer.Header().Get("X-RateLimit-Remaining"))
	}
	// Output:
	// 200 1
	// 200 0
	// 429 0
}
