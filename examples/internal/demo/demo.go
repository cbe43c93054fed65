// Package demo is what the example programs share and what a real service has
// of its own: Redis, accounts and policies.
package demo

import (
	"log"
	"os"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
)

// Policies of the app.
var (
	Public = core.PerMinute("public", 60)
	Login  = core.PerMinute("login", 5)
	Free   = core.PerMinute("free", 10)
	Pro    = core.PerMinute("pro", 1000)
	Report = core.PerMinute("report", 2)
)

// Failed is the outcome that counts for Login.
func Failed(status int) bool { return status == 401 }

// Plan returns the policy of a plan.
func Plan(name any) core.Policy {
	if name == "pro" {
		return Pro
	}
	return Free
}

// Account is a user of the app.
type Account struct{ ID, Plan string }

// accounts by the Authorization header that they send.
var accounts = map[string]Account{
	"Bearer ann-token": {"ann", "free"},
	"Bearer bob-token": {"bob", "free"},
	"Bearer eve-token": {"eve", "pro"},
}

// Find returns who sends this Authorization header.
func Find(authorization string) (Account, bool) {
	a, ok := accounts[authorization]
	return a, ok
}

// Password is what everybody signs in with.
const Password = "open sesame"

// Limiter returns a Limiter on the Redis that REDIS_URL names, such as
// redis://localhost:6379/0, or else on one inside this program, and a function
// that closes both.
func Limiter() (rl *core.Limiter, stop func()) {
	url, stopServer := os.Getenv("REDIS_URL"), func() {}
	if url == "" {
		mini, err := miniredis.Run()
		if err != nil {
			log.Fatal(err)
		}
		url, stopServer = "redis://"+mini.Addr(), mini.Close
	}
	opt, err := redis.ParseURL(url)
	if err != nil {
		log.Fatal("REDIS_URL is no redis:// URL")
	}
	opt.ContextTimeoutEnabled = true
	rdb := redis.NewClient(opt)
	rl, err = core.New(rdb)
	if err != nil {
		log.Fatal(err)
	}
	return rl, func() {
		_, _ = rl.Close(), rdb.Close()
		stopServer()
	}
}
