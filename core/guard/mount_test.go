package guard_test

import (
	"testing"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
)

func TestMistakesPanicAtMount(t *testing.T) {
	mount := func(opts ...guard.Option) func() {
		return func() { guard.New("ginmw", newEngine(), three, one, opts...) }
	}
	huge := core.Policy{Name: "huge", Algorithm: core.FixedWindow, Limit: 1 << 50, Window: 1e9}
	var noLimiter *core.Limiter
	rows := map[string]func(){
		`ginmw: Limit: limiter is nil; `: func() { guard.New("ginmw", noLimiter, three, one) },
		`ginmw: Limit: limiter is nil`:   func() { guard.New("ginmw", nil, three, one) },
		`ginmw: Limit: key is nil; `:     func() { guard.New("ginmw", newEngine(), three, nil) },
		`ginmw: Limit: policy: slidegate/core: policy "x": Limit is 0; want at least 1`: func() {
			guard.New("ginmw", newEngine(), core.PerMinute("x", 0), one)
		},
		`ginmw: Limit: And: policy: slidegate/core: policy "": Name is ""`: mount(guard.And(core.Policy{}, one)),
		`ginmw: Limit: And: key is nil; `:                                  mount(guard.And(core.PerDay("day", 1), nil)),
		`ginmw: Limit: And: policy: Name is "three"; which`:                mount(guard.And(core.PerDay("three", 9), one)),
		`ginmw: Limit: policy: limit of "huge" is 1125899906842624; `:      func() { guard.New("ginmw", newEngine(), huge, one) },
		`ginmw: Limit: Cost: function is nil; `:                            mount(guard.Cost(nil)),
		`ginmw: Limit: Skip: function is nil; `:                            mount(guard.Skip(nil)),
		`ginmw: Limit: PolicyFor: function is nil; `:                       mount(guard.PolicyFor(nil)),
		`ginmw: Limit: CountOnly: function is nil; `:                       mount(guard.CountOnly(nil)),
		`ginmw: Limit: OnError: function is nil; `:                         mount(guard.OnError(nil)),
		`ginmw: Limit: option 2 is the zero Option; `:                      mount(guard.DryRun(), guard.Option{}),
		`ginmw: Limit: Headers: list of dialects is empty; `:               mount(guard.Headers()),
		`ginmw: Limit: Headers: dialect is Dialect(9); `:                   mount(guard.Headers(9)),
		`ginmw: Limit: Headers: dialect is Legacy; `:                       mount(guard.Headers(guard.Legacy, guard.Legacy)),
		`ginmw: Limit: Headers: dialect is None; `:                         mount(guard.Headers(guard.Legacy, guard.None)),
		`ginmw: Limit: Headers: list of dialects is [Draft11 Draft06]; `:   mount(guard.Headers(guard.Draft11, guard.Draft06)),
		`ginmw: Limit: option echomw.OnDenied is of another framework; `:   mount(guard.Adapter("echomw", "OnDenied", 1)),
	}
	for text, mistake := range rows {
		wantPanic(t, text, mistake)
	}
	guard.New("ginmw", newEngine(), huge, one, guard.Headers(guard.None))
}
