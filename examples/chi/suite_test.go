package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/keyfuncs"
	"github.com/slidegate/slidegate/nethttp"
)

// nethttp passes the suite of adapters behind chi, too. The test is here and
// not with nethttp, so that the modules of users who have no chi stay without.
func TestSuite(t *testing.T) { coretest.AdapterSuite(t, serve) }

// In the Use of a router no route is known yet.
func TestUse(t *testing.T) { coretest.AdapterUnrouted(t, serve) }

// serve is an app on chi.
func serve(t testing.TB, app coretest.App) string {
	r := chi.NewRouter()
	r.Use(middleware.RequestID, recovering, authenticating)
	var limits []func(http.Handler) http.Handler
	for _, m := range app.Limits {
		limits = append(limits, nethttp.Limit(m.Limiter, m.Policy, m.Key, m.Options...))
	}
	if app.Everywhere {
		r.Use(limits...)
		limits = nil
	}
	for _, route := range app.Routes {
		r.With(limits...).Handle(route, handler(app, route))
	}
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

func recovering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if recover() != nil {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func authenticating(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id := r.Header.Get(coretest.UIDHeader); id != "" {
			r = r.WithContext(context.WithValue(r.Context(), "uid", id)) //nolint:staticcheck // as the suite's key has it
		}
		next.ServeHTTP(w, r)
	})
}

func handler(app coretest.App, route string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		reply := app.Handle(route, r.URL.Query().Get("do"))
		if reply.Panic != "" {
			panic(reply.Panic)
		}
		w.WriteHeader(reply.Status)
		for _, chunk := range reply.Chunks {
			_, _ = io.WriteString(w, chunk)
			w.(http.Flusher).Flush()
			if reply.Between != nil {
				reply.Between()
			}
		}
	}
}

// What Route yields depends on where chi has got to.
func TestRoutes(t *testing.T) {
	seen := map[string]string{}
	note := func(where string) keyfuncs.Func {
		return func(r keyfuncs.Request) (string, error) {
			seen[where] = r.Route()
			return "k", nil
		}
	}
	rl := limiter(t)
	limit := func(where string) func(http.Handler) http.Handler {
		return nethttp.Limit(rl, core.PerMinute("api", 100), note(where))
	}
	r := chi.NewRouter()
	r.Use(limit("use"))
	r.Route("/api", func(r chi.Router) {
		r.Use(limit("subrouter"))
		r.With(limit("with")).Get("/u/{id}", func(http.ResponseWriter, *http.Request) {})
	})
	r.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/u/7", nil))
	if seen["use"] != "" || seen["subrouter"] != "/api/*" || seen["with"] != "/api/u/{id}" {
		t.Errorf("got %q", seen)
	}
}

func limiter(t *testing.T) *core.Limiter {
	rl, err := core.New(coretest.Start(t, coretest.Mini).Client(t))
	if err != nil {
		t.Fatal(err)
	}
	return rl
}
