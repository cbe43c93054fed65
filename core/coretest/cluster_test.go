package coretest

import (
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"
)

// spread is how many keys reach every node: k0 to k29 are in all three thirds of
// the slots.
const spread = 30

// A cluster takes two seconds to form, so each kind shows one thing, side by side.
func TestCluster(t *testing.T) {
	for k, run := range map[Kind]func(t *testing.T, k Kind){
		Redis7:  behindProxies,
		Redis8:  servesAndRestarts,
		Valkey9: behindProxies,
	} {
		t.Run(string(k), func(t *testing.T) {
			t.Parallel()
			run(t, k)
		})
	}
}

func servesAndRestarts(t *testing.T, k Kind) {
	c := StartCluster(t, k, "--maxmemory", "50mb")
	client := c.Client(t)
	countEach(t, client, 1)
	for i, n := range c.Nodes {
		node := n.Client(t)
		if size, err := node.DBSize(t.Context()).Result(); size == 0 || err != nil {
			t.Errorf("node %d holds %d keys, %v", i, size, err)
		}
		if got := node.ConfigGet(t.Context(), "maxmemory").Val()["maxmemory"]; got != "52428800" {
			t.Errorf("node %d: maxmemory is %q", i, got)
		}
	}
	for _, n := range c.Nodes {
		n.Kill()
		n.Restart(t)
	}
	c.Await(t)
	countEach(t, client, 1) // the nodes know their places, and no keys
}

// countEach counts one on each of the keys and wants that number.
func countEach(t *testing.T, client *redis.ClusterClient, want int) {
	t.Helper()
	for i := range spread {
		n, err := client.Eval(t.Context(), count, []string{fmt.Sprint("k", i)}).Int()
		if n != want || err != nil {
			t.Fatalf("key %d: %d, %v; want %d", i, n, err, want)
		}
	}
}

func behindProxies(t *testing.T, k Kind) {
	c := StartClusterBehind(t, k, func(addr string) *Proxy { return StartProxy(t, addr, nil) })
	// It is told one address, so it has the others from the nodes.
	client := c.Client(t, func(o *redis.ClusterOptions) {
		o.Addrs = o.Addrs[:1]
		o.MaxRedirects = -1
	})
	countEach(t, client, 1)
	var sum int64
	for i, p := range c.Proxies {
		n := p.Counts().Requests
		if n == 0 {
			t.Errorf("no request came through proxy %d", i)
		}
		sum += n
	}
	if sum != spread {
		t.Errorf("%d requests came through the proxies, want %d", sum, spread)
	}
	breaksOneNode(t, c.Proxies[1], client)
}

// breaksOneNode checks that the faults of one node's proxy meet that node's keys
// and no others.
func breaksOneNode(t *testing.T, broken *Proxy, client *redis.ClusterClient) {
	t.Helper()
	broken.SetFault(func(int64) Fault { return Fault{Action: Cut} })
	failed := 0
	for i := range spread {
		before := broken.Counts().Cut
		err := client.Eval(t.Context(), count, []string{fmt.Sprint("k", i)}).Err()
		if cut := broken.Counts().Cut > before; cut != (err != nil) {
			t.Errorf("key %d: %v, although cut: %t", i, err, cut)
		}
		if err != nil {
			failed++
		}
	}
	if failed == 0 || failed == spread {
		t.Errorf("%d of %d calls failed, want one node's share", failed, spread)
	}
}
