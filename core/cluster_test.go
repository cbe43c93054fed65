package core_test

import (
	"context"
	"regexp"
	"strconv"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// When a master is gone, a cluster client is told to look for the masters
// again; by itself it would ask the dead one for a minute.
func TestDeadMasterMakesTheClientLookAgain(t *testing.T) {
	c := coretest.StartCluster(t, coretest.Redis7)
	rdb := c.Client(t, func(o *redis.ClusterOptions) { o.ContextTimeoutEnabled = true })
	l, p := newLimiter(t, rdb), core.PerHour("dead", 100)
	var keys []string
	for range 20 {
		keys = append(keys, someone())
		allow(t, l, p, keys[len(keys)-1], 1)
	}
	c.Nodes[0].Kill()
	before := lookups(t, c)
	failed := 0
	for _, key := range keys {
		if _, err := l.Allow(t.Context(), p, key); err != nil {
			failed++
		}
	}
	if failed == 0 || failed == len(keys) {
		t.Errorf("%d of %d calls failed; want those of one master", failed, len(keys))
	}
	await(t, "the client to look at the cluster again", func() bool { return lookups(t, c) > before })
	c.Nodes[0].Restart(t)
	c.Await(t)
	for _, key := range keys {
		await(t, "an answer after the restart", func() bool {
			_, err := l.Allow(context.Background(), p, key)
			return err == nil
		})
	}
}

var slotsCalls = regexp.MustCompile(`cmdstat_cluster\|(?:slots|shards):calls=(\d+)`)

// lookups is how often the nodes that live were asked where the slots are.
func lookups(t *testing.T, c *coretest.Cluster) (sum int) {
	for _, node := range c.Nodes[1:] {
		stats := node.Client(t).Info(t.Context(), "commandstats").Val()
		for _, match := range slotsCalls.FindAllStringSubmatch(stats, -1) {
			n, err := strconv.Atoi(match[1])
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}
