// Command chi is a small service on chi with four limits: a public
// page by address, sign-in by failures, an API by user and plan, and one dear
// route of it. It uses the Redis of REDIS_URL, or one of its own.
package main

import (
	"context"
	"io"
	"log"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/examples/internal/demo"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

func main() {
	rl, stop := demo.Limiter()
	defer stop()
	log.Print("listening on http://localhost:8080")
	log.Print(http.ListenAndServe("localhost:8080", app(rl)))
}

func app(rl *core.Limiter) http.Handler {
	public := nethttp.Limit(rl, demo.Public, keyfuncs.IP)
	login := nethttp.Limit(rl, demo.Login, keyfuncs.IP, guard.CountOnly(demo.Failed))
	api := nethttp.Limit(rl, demo.Free, keyfuncs.UserID(uid), guard.PolicyFor(planOf))
	report := nethttp.Limit(rl, demo.Report, keyfuncs.Join(keyfuncs.UserID(uid), keyfuncs.Route))

	r := chi.NewRouter()
	r.With(public).Get("/", text("welcome"))
	r.With(login).Post("/login", signIn)
	r.Route("/api", func(r chi.Router) {
		r.Use(authenticate, api)
		r.Get("/items", text("items"))
		r.With(report).Get("/report", text("report"))
	})
	return r
}

// contextKey is what authenticate stores under.
type contextKey string

const (
	uid  contextKey = "uid"
	plan contextKey = "plan"
)

func planOf(r keyfuncs.Request, _ core.Policy) core.Policy { return demo.Plan(r.Value(plan)) }

func authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		account, ok := demo.Find(r.Header.Get("Authorization"))
		if !ok {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		ctx := context.WithValue(r.Context(), uid, account.ID)
		next.ServeHTTP(w, r.WithContext(context.WithValue(ctx, plan, account.Plan)))
	})
}

func signIn(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("password") != demo.Password {
		http.Error(w, "wrong password", http.StatusUnauthorized)
		return
	}
	_, _ = io.WriteString(w, "welcome back\n")
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s+"\n") }
}
