package core_test

import (
	"context"
	"fmt"
	"log"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
)

// Two limits on one user, judged together: both are charged, or neither.
func ExampleLimiter_AllowAll() {
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

	user := "anna"
	for range 3 {
		ds, err := rl.AllowAll(context.Background(),
			core.Charge{Policy: core.PerHour("hourly", 2), Key: user, Cost: 1},
			core.Charge{Policy: core.PerDay("daily", 1000), Key: user, Cost: 1})
		if err != nil {
			log.Print(err)
		}
		fmt.Println(core.Allowed(ds), ds[0].Remaining, ds[1].Remaining)
	}
	// Output:
	// true 1 999
	// true 0 998
	// false 0 998
}
