package nethttp_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/slidegate/slidegate/core/coretest"
	"github.com/slidegate/slidegate/nethttp"
)

func TestMain(m *testing.M) { coretest.Main(m) }

func TestSuite(t *testing.T) { coretest.AdapterSuite(t, serve) }

// Around a mux no route is known yet.
func TestAroundTheMux(t *testing.T) { coretest.AdapterUnrouted(t, serve) }

// serve is an app on a ServeMux.
func serve(t testing.TB, app coretest.App) string {
	mux := http.NewServeMux()
	for _, route := range app.Routes {
		var h http.Handler = handler(app, route)
		if !app.Everywhere {
			h = limited(app, h)
		}
		mux.Handle(route, h)
	}
	var all http.Handler = mux
	if app.Everywhere {
		all = limited(app, mux)
	}
	srv := httptest.NewServer(recovering(authenticating(all)))
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}

func limited(app coretest.App, h http.Handler) http.Handler {
	for _, m := range slices.Backward(app.Limits) {
		h = nethttp.Limit(m.Limiter, m.Policy, m.Key, m.Options...)(h)
	}
	return h
}

func authenticating(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id := r.Header.Get(coretest.UIDHeader); id != "" {
			r = r.WithContext(context.WithValue(r.Context(), "uid", id)) //nolint:staticcheck // as the suite's key has it
		}
		next.ServeHTTP(w, r)
	})
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
