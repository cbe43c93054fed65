package main

import (
	"net/http/httptest"
	"testing"

	"github.com/slidegate/slidegate/examples/internal/demotest"
)

func TestApp(t *testing.T) {
	srv := httptest.NewServer(app(demotest.Limiter(t)))
	defer srv.Close()
	demotest.Check(t, srv.URL)
}
