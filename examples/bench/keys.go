package main

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// tag marks the keys of one turn among whatever else the Redis holds.
func newTag() string { return fmt.Sprintf("bench-%016x", rand.Uint64()) }

func keysOf(tag string, n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("%s-%d", tag, i)
	}
	return keys
}

// sampled is how many keys' memory is asked for: an answer is dear for a large one.
const sampled = 100

// sizes is the mean of what MEMORY USAGE says of a sample of the keys with tag.
func (s *server) sizes(ctx context.Context, keys []string) float64 {
	var sum, n float64
	for _, key := range keys[:min(sampled, len(keys))] {
		if size, err := s.admin.MemoryUsage(ctx, key, 0).Result(); err == nil {
			sum, n = sum+float64(size), n+1
		}
	}
	return ratio(sum, n)
}

// find returns the Redis keys with tag, whatever prefix a contender gave them.
func (s *server) find(ctx context.Context, tag string) (keys []string, err error) {
	scan := s.admin.Scan(ctx, 0, "*"+tag+"*", 1000).Iterator()
	for scan.Next(ctx) {
		keys = append(keys, scan.Val())
	}
	return keys, scan.Err()
}

// remove deletes keys, some hundreds at a time.
func (s *server) remove(ctx context.Context, keys []string) error {
	for len(keys) > 0 {
		n := min(500, len(keys))
		if err := s.admin.Unlink(ctx, keys[:n]...).Err(); err != nil {
			return fmt.Errorf("keys of this run are left to expire (%w)", err)
		}
		keys = keys[n:]
	}
	return nil
}
