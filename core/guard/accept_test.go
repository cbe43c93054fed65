package guard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
)

func mime(name string) string { return http.CanonicalHeaderKey(name) }

func TestAccept(t *testing.T) {
	const problem, text = "application/problem+json", "text/plain; charset=utf-8"
	rows := []struct {
		accept string // lines separated by |
		want   string
	}{
		{"", problem},
		{"*/*", problem},
		{"application/*", problem},
		{"application/problem+json", problem},
		{"Application/Problem+JSON", problem},
		{"application/json", problem},
		{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", problem},
		{"image/png", problem},
		{"text/plain", text},
		{"text/*", text},
		{"text/plain, */*;q=0.5", text},
		{"text/plain;q=0.5, application/problem+json", problem},
		{"text/plain; q=0.9 , application/problem+json ;q=0.8", text},
		{"text/plain|application/problem+json;q=0.1", text},
		{"application/problem+json;q=0, */*", text},
		{"application/problem+json;q=0, application/*", problem},
		{"text/plain;q=0.1, application/problem+json;q=0", text},
		{"text/plain;q=0.1, application/problem+json;q=2", text},
		{"text/plain;q=0.1, application/problem+json;q=NaN", text},
		{"text/plain;q=0.1, application/problem+json;q=0.0001", text},
		{"text/plain;q=0.1, application/problem+json;v=1;q=0.2", problem},
		{",;,;;=,q=,", problem},
	}
	for _, row := range rows {
		e := newEngine()
		e.spent["three one"] = 3
		v := guard.New("test", e, core.PerMinute("three", 3), one).Judge(request{accept: strings.Split(row.accept, "|")})
		if v.ContentType != row.want {
			t.Errorf("%q: got %s, want %s", row.accept, v.ContentType, row.want)
		}
	}
}
