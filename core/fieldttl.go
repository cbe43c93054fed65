package core

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

// support remembers whether the server has HPEXPIREAT: found out once, by
// trying it, because version numbers lie (Valkey 9 calls itself Redis 7.2).
type support struct{ known atomic.Int32 }

const (
	unknown int32 = iota
	present
	absent
)

// check returns an error where b wants fields to expire and the server cannot.
func (s *support) check(ctx context.Context, l *Limiter, b batch) error {
	wanting := firstWithFieldTTL(b)
	if wanting == nil {
		return nil
	}
	if s.known.Load() == unknown {
		if err := s.try(ctx, l, wanting.key+".probe"); err != nil {
			return err
		}
	}
	if s.known.Load() == absent {
		return &outageError{ErrConfiguration, fmt.Errorf(
			"policy %q: FieldTTL needs HPEXPIREAT (Redis 7.4 or later, Valkey 9 or later), and this server does not have it; "+
				"leave FieldTTL false and the script removes old sub-windows itself", wanting.plan.policy.Name)}
	}
	return nil
}

// try asks for a field that does not exist to expire, which changes nothing.
func (s *support) try(ctx context.Context, l *Limiter, key string) error {
	_, err := l.command(ctx, "hpexpireat", key, 1, "fields", 1, "none")
	switch {
	case err == nil:
		s.known.Store(present)
	case errors.Is(err, ErrConfiguration) && !isNoPermission(err):
		s.known.Store(absent)
	default:
		return err
	}
	return nil
}

func isNoPermission(err error) bool {
	code, _ := redisCode(err)
	return code != "ERR unknown" && code != "ERR Unknown"
}

func firstWithFieldTTL(b batch) *charge {
	for i := range b.charges {
		if b.charges[i].plan.policy.FieldTTL {
			return &b.charges[i]
		}
	}
	return nil
}
