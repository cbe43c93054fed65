package keyfuncs_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/slidegate/slidegate/keyfuncs"
)

// yield is a key function that always answers the same.
func yield(key string, err error) keyfuncs.Func {
	return func(keyfuncs.Request) (string, error) { return key, err }
}

// join is the key that Join makes of these parts.
func join(t testing.TB, parts []string) string {
	t.Helper()
	fs := make([]keyfuncs.Func, 0, len(parts))
	for _, part := range parts {
		fs = append(fs, yield(part, nil))
	}
	return mustKey(t, keyfuncs.Join(fs...), request{})
}

func TestJoin(t *testing.T) {
	r := request{peer: "203.0.113.7:80", route: "/login"}
	if got := mustKey(t, keyfuncs.Join(keyfuncs.IP, keyfuncs.Route), r); got != "11:203.0.113.76:/login" {
		t.Errorf("got %q", got)
	}
	boom := errors.New("boom")
	wantErr(t, keyfuncs.Join(keyfuncs.IP, keyfuncs.UserID("uid"), yield("", boom)), r, keyfuncs.ErrNoKey)
	if key, err := keyfuncs.Join(keyfuncs.IP, yield("x", boom))(r); key != "" || err != boom {
		t.Errorf("got %q, %v", key, err)
	}
}

// Parts differ if and only if keys differ, whatever bytes they hold; small
// alphabets make near misses likely.
func TestJoinNeverCollides(t *testing.T) {
	part := rapid.OneOf(
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return string(b) }),
		rapid.StringOfN(rapid.RuneFrom([]rune("01:|{}\x00")), 0, 12, -1))
	parts := rapid.SliceOfN(part, 1, 4)
	rapid.Check(t, func(rt *rapid.T) {
		a, b := parts.Draw(rt, "a"), parts.Draw(rt, "b")
		if same := slices.Equal(a, b); (join(t, a) == join(t, b)) != same {
			rt.Fatalf("%q and %q: keys %q and %q", a, b, join(t, a), join(t, b))
		}
		if join(t, a) != join(t, slices.Clone(a)) {
			rt.Fatalf("%q: two keys", a)
		}
	})
}

func TestFirstOf(t *testing.T) {
	boom := errors.New("keyfuncs: boom")
	none := yield("", keyfuncs.ErrNoKey)
	r := request{peer: "203.0.113.7:80", values: map[any]any{"uid": "alice"}}
	rows := []struct {
		name string
		f    keyfuncs.Func
		want string
		err  error
	}{
		{"signed in", keyfuncs.FirstOf(keyfuncs.UserID("uid"), keyfuncs.IP), "alice", nil},
		{"anonymous", keyfuncs.FirstOf(keyfuncs.UserID("nobody"), keyfuncs.IP), "203.0.113.7", nil},
		{"empty key is none", keyfuncs.FirstOf(yield("", nil), keyfuncs.IP), "203.0.113.7", nil},
		{"key beside ErrNoKey is none", keyfuncs.FirstOf(yield("x", keyfuncs.ErrNoKey), keyfuncs.IP), "203.0.113.7", nil},
		{"other errors end it", keyfuncs.FirstOf(none, yield("x", boom), keyfuncs.IP), "", boom},
		{"nothing", keyfuncs.FirstOf(none, yield("", nil)), "", keyfuncs.ErrNoKey},
		{"not asked further", keyfuncs.FirstOf(keyfuncs.IP, yield("", boom)), "203.0.113.7", nil},
	}
	for _, row := range rows {
		key, err := row.f(r)
		if key != row.want || !errors.Is(err, row.err) {
			t.Errorf("%s: got %q, %v; want %q, %v", row.name, key, err, row.want, row.err)
		}
	}
}

func TestFirstOfNamesAllThatIsMissing(t *testing.T) {
	f := keyfuncs.FirstOf(keyfuncs.UserID("uid"), keyfuncs.Header("X-Api-Key"), keyfuncs.Route)
	_, err := f(request{})
	const want = `keyfuncs: no key: no identity stored under "uid" (mount authentication before the limiter); ` +
		`keyfuncs: no key: header X-Api-Key absent or blank; ` +
		`keyfuncs: no key: no route known where the limiter is mounted; mount it per route, see package keyfuncs`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// What the caller does with its slice later does not change the key.
func TestCombinedFunctionsAreCopied(t *testing.T) {
	fs := []keyfuncs.Func{keyfuncs.Fixed("a"), keyfuncs.Fixed("b")}
	joined, first := keyfuncs.Join(fs...), keyfuncs.FirstOf(fs...)
	clear(fs)
	if got := mustKey(t, joined, request{}); got != "1:a1:b" {
		t.Errorf("Join: got %q", got)
	}
	if got := mustKey(t, first, request{}); got != "a" {
		t.Errorf("FirstOf: got %q", got)
	}
}
