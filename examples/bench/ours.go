package main

import (
	"context"
	"time"

	"github.com/slidegate/slidegate/core"
)

const slidegate = "github.com/slidegate/slidegate"

// ours has a row for each algorithm. A mode, that is how a decision travels, is one
// more row: the same algorithm under another name and with the mode's options.
var ours = []contender{
	ourRow("slidegate GCRA", core.GCRA),
	ourRow("slidegate GCRA, unbatched", core.GCRA, core.Unbatched()),
	ourRow("slidegate TokenBucket", core.TokenBucket),
	ourRow("slidegate LeakyBucket", core.LeakyBucket),
	ourRow("slidegate FixedWindow", core.FixedWindow),
	ourRow("slidegate SlidingWindow", core.SlidingWindow),
	ourRow("slidegate AdaptiveWindow", core.AdaptiveWindow),
	ourRow("slidegate LayeredWindow", core.LayeredWindow),
	ourRow("slidegate SlidingLog", core.SlidingLog),
	ourRow("slidegate CompactLog", core.CompactLog),
}

// patience is far above the default of 100 ms, because the peers have no deadline
// and a queue of 1,024 callers would meet ours where it cannot meet theirs.
const patience = 30 * time.Second

// ourRow is one row: an algorithm, with the options that make up a mode.
func ourRow(name string, a core.Algorithm, mode ...core.Option) contender {
	open := func(_ context.Context, s *session) (limiter, error) {
		l, err := core.New(s.client(), append([]core.Option{core.Timeout(patience)}, mode...)...)
		if err != nil {
			return nil, err
		}
		s.onClose(func() { _ = l.Close() })
		p := core.PerMinute("bench", s.limit)
		p.Algorithm = a
		return allowFunc(func(ctx context.Context, key string) (bool, error) {
			d, err := l.Allow(ctx, p, key)
			return d.Allowed, err
		}), nil
	}
	return contender{name: name, module: slidegate, refills: refills(a), open: open}
}

func refills(a core.Algorithm) bool {
	return a == core.GCRA || a == core.TokenBucket || a == core.LeakyBucket
}
