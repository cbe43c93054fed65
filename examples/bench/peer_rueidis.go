package main

import (
	"context"

	"github.com/redis/rueidis"
)

// rueidisFixed is the least a limiter can do, a fixed window that begins with a
// key's first request, on the client that pipelines by itself: concurrent EVALSHA
// of all callers share writes to few connections.
var rueidisFixed = contender{
	name:   "rueidis fixed window",
	module: "github.com/redis/rueidis",
	open: func(_ context.Context, s *session) (limiter, error) {
		o := s.target
		client, err := rueidis.NewClient(rueidis.ClientOption{
			InitAddress: []string{o.Addr}, Username: o.Username, Password: o.Password, SelectDB: o.DB,
			TLSConfig: o.TLSConfig, DisableCache: true, DisableRetry: true, ForceSingleClient: true,
		})
		if err != nil {
			return nil, err
		}
		s.onClose(client.Close)
		return &rueidisWindow{client, rueidis.NewLuaScript(rueidisScript), s.limit}, nil
	},
}

const rueidisScript = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return count
`

type rueidisWindow struct {
	client rueidis.Client
	script *rueidis.Lua
	limit  int64
}

var minuteInMilliseconds = []string{"60000"}

func (w *rueidisWindow) Allow(ctx context.Context, key string) (bool, error) {
	count, err := w.script.Exec(ctx, w.client, []string{"rueidis:" + key}, minuteInMilliseconds).AsInt64()
	return err == nil && count <= w.limit, err
}
