// Package demotest tries an example program out. All of them answer alike.
package demotest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/examples/internal/demo"
)

// Limiter returns a Limiter on a Redis of the test's own.
func Limiter(t *testing.T) *core.Limiter {
	t.Setenv("REDIS_URL", "")
	rl, stop := demo.Limiter()
	t.Cleanup(stop)
	return rl
}

// Check talks to the app at base, such as http://127.0.0.1:8080.
func Check(t *testing.T, base string) {
	c := client{t, base}
	c.want("GET", "/", "", "", 200, "public")
	c.want("GET", "/api/items", "", "", 401, "")
	c.want("POST", "/login", "", "password="+strings.ReplaceAll(demo.Password, " ", "+"), 200, "login")
	for range demo.Login.Limit {
		c.want("POST", "/login", "", "password=guess", 401, "login")
	}
	c.want("POST", "/login", "", "password=guess", 429, "login")
	for range demo.Free.Limit {
		c.want("GET", "/api/items", "Bearer ann-token", "", 200, "free")
		c.want("GET", "/api/items", "Bearer eve-token", "", 200, "pro")
	}
	c.want("GET", "/api/items", "Bearer ann-token", "", 429, "free")
	c.want("GET", "/api/items", "Bearer eve-token", "", 200, "pro")
	for range demo.Report.Limit {
		c.want("GET", "/api/report", "Bearer bob-token", "", 200, "report")
	}
	c.want("GET", "/api/report", "Bearer bob-token", "", 429, "report")
	c.want("GET", "/api/items", "Bearer bob-token", "", 200, "free")
}

type client struct {
	*testing.T
	base string
}

// want fails unless the answer has this status and names this policy.
func (c client) want(method, path, authorization, form string, status int, policy string) {
	c.Helper()
	r, err := http.NewRequestWithContext(c.Context(), method, c.base+path, strings.NewReader(form))
	if err != nil {
		c.Fatal(err)
	}
	r.Close = true
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.Fatal(err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	fields := answer.Header.Get("RateLimit")
	if answer.StatusCode != status || !strings.Contains(fields, policy) || (fields == "") != (policy == "") {
		c.Errorf("%s %s: got %d %q, RateLimit %s; want %d and policy %s", method, path, answer.StatusCode, body, fields, status, policy)
	}
}
