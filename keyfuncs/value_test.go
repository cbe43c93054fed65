package keyfuncs_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

type (
	accountID string
	rowID     int64
	uuid      [16]byte
	user      struct{ name string }
	contextID struct{}
)

func (u uuid) String() string  { return fmt.Sprintf("%x", u[:]) }
func (u *user) String() string { return u.name }

// brittle is a Stringer that trips over its own zero parts.
type brittle struct {
	inner *user
	set   bool
}

func (b brittle) String() string { return b.inner.name }

func TestUserID(t *testing.T) {
	rows := []struct {
		value any
		want  string
	}{
		{"alice", "alice"},
		{" alice", " alice"},
		{[]byte("alice"), "alice"},
		{accountID("a-1"), "a-1"},
		{7, "7"},
		{int8(-7), "-7"},
		{uint64(1<<64 - 1), "18446744073709551615"},
		{rowID(1 << 62), "4611686018427387904"},
		{uuid{15: 1}, "00000000000000000000000000000001"},
		{&user{"bob"}, "bob"},
		{netip.MustParseAddr("203.0.113.7"), "203.0.113.7"},
		{strings.Repeat("x", 1<<20), strings.Repeat("x", 1<<20)},
	}
	for _, row := range rows {
		r := request{values: map[any]any{"uid": row.value}}
		if got := mustKey(t, keyfuncs.UserID("uid"), r); got != row.want {
			t.Errorf("%T: got %.60q, want %.60q", row.value, got, row.want)
		}
	}
}

func TestUserIDNobody(t *testing.T) {
	nobody := []any{
		nil, "", " \t\n", accountID(""), 0, rowID(0), uint8(0), uuid{}, []byte(nil), []byte{},
		(*user)(nil), &user{}, &user{" "}, (fmt.Stringer)(nil), brittle{}, (*string)(nil),
	}
	for _, value := range nobody {
		r := request{values: map[any]any{"uid": value}}
		wantErr(t, keyfuncs.UserID("uid"), r, keyfuncs.ErrNoKey)
	}
	wantErr(t, keyfuncs.UserID(contextID{}), request{}, keyfuncs.ErrNoKey)
}

func TestUserIDOfTheWrongKind(t *testing.T) {
	text := "secret"
	for _, value := range []any{1.5, true, &text, user{text}, map[string]string{text: text}, errors.New(text), brittle{set: true}} {
		r := request{peer: "203.0.113.7:80", values: map[any]any{"uid": value}}
		// Were this ErrNoKey, every signed-in user would be counted by address.
		for _, f := range []keyfuncs.Func{keyfuncs.UserID("uid"), keyfuncs.FirstOf(keyfuncs.UserID("uid"), keyfuncs.IP)} {
			key, err := f(r)
			if err == nil || key != "" || errors.Is(err, keyfuncs.ErrNoKey) {
				t.Errorf("%T: got %q, %v", value, key, err)
			} else if strings.Contains(err.Error(), text) {
				t.Errorf("%T: error tells the value: %v", value, err)
			}
		}
	}
}

// What a client sends is no identity, whatever it is called.
func TestUserIDIgnoresHeaders(t *testing.T) {
	r := from("203.0.113.7:80", "uid", "mallory")
	wantErr(t, keyfuncs.UserID("uid"), r, keyfuncs.ErrNoKey)
	r.values = map[any]any{"uid": "alice"}
	if got := mustKey(t, keyfuncs.UserID("uid"), r); got != "alice" {
		t.Errorf("got %q", got)
	}
}

func TestHeader(t *testing.T) {
	f := keyfuncs.Header("X-Api-Key")
	want := fmt.Sprintf("%x", sha256.Sum256([]byte("secret-1")))
	for _, lines := range [][]string{{"secret-1"}, {" secret-1\t"}, {"", "secret-1"}, {"secret-1", " "}} {
		if got := mustKey(t, f, from("", "x-api-key", lines...)); got != want {
			t.Errorf("%q: got %q, want %q", lines, got, want)
		}
	}
	long := strings.Repeat("x", 1<<20)
	a, b := mustKey(t, f, from("", "X-Api-Key", long+"a")), mustKey(t, f, from("", "X-Api-Key", long+"b"))
	if a == b || len(a) != 64 || len(b) != 64 {
		t.Errorf("two long values: %q and %q", a, b)
	}
}

func TestHeaderWithoutOneValue(t *testing.T) {
	f := keyfuncs.Header("X-Api-Key")
	for _, lines := range [][]string{nil, {""}, {" \t"}, {"", ""}} {
		wantErr(t, f, from("", "X-Api-Key", lines...), keyfuncs.ErrNoKey)
	}
	twice := from("203.0.113.7:80", "X-Api-Key", "secret-1", "secret-2")
	wantErr(t, f, twice, keyfuncs.ErrAmbiguous)
	// One credential, sent beside a made-up one, must not be counted by address.
	wantErr(t, keyfuncs.FirstOf(f, keyfuncs.IP), twice, keyfuncs.ErrAmbiguous)
	if _, err := f(twice); strings.Contains(err.Error(), "secret") {
		t.Errorf("error tells the value: %v", err)
	}
}

func TestFixed(t *testing.T) {
	for _, peer := range []string{"203.0.113.7:80", ""} {
		if got := mustKey(t, keyfuncs.Fixed("reports"), request{peer: peer}); got != "reports" {
			t.Errorf("got %q", got)
		}
	}
}
