package core

import "context"

// Decide judges many decisions in one script call.
func (l *Limiter) Decide(ctx context.Context, decisions ...[]Charge) ([][]Decision, error) {
	var b batch
	for _, asked := range decisions {
		j, err := l.join(asked)
		if err != nil {
			return nil, err
		}
		b.charges = append(b.charges, j.charges...)
		b.sizes = append(b.sizes, len(j.charges))
	}
	flat, err := l.decide(ctx, b)
	all := make([][]Decision, 0, len(b.sizes))
	for _, size := range b.sizes {
		all, flat = append(all, flat[:size]), flat[size:]
	}
	return all, err
}

// RedisKey is where l keeps what key has spent under p.
func (l *Limiter) RedisKey(p Policy, key string) string {
	c, err := l.charge(p, key, 0)
	if err != nil {
		panic(err)
	}
	return c.key
}
