package coretest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	clusterNodes = 3
	clusterSlots = 16384
	clusterWait  = 30 * time.Second // forming takes two seconds on an idle machine
	busOffset    = 10000            // from a node's port to its cluster bus
)

// Cluster is three masters without replicas, each with a third of the slots.
type Cluster struct {
	Kind  Kind
	Nodes []*Server
	// Proxies stand before the nodes, in the same order, and are where the nodes
	// send clients; nil in a cluster that was started without.
	Proxies []*Proxy
}

// StartCluster starts a cluster for this test alone and stops it when the test
// ends. args are passed on to every node. A node's Kill and Restart keep its place.
func StartCluster(t testing.TB, k Kind, args ...string) *Cluster {
	t.Helper()
	return StartClusterBehind(t, k, nil, args...)
}

// StartClusterBehind starts a cluster whose nodes each hide behind the proxy that
// front starts for the node's address. The nodes announce the proxies in place of
// themselves, so redirected clients stay behind them too. A nil front means none.
func StartClusterBehind(t testing.TB, k Kind, front func(addr string) *Proxy, args ...string) *Cluster {
	t.Helper()
	if k == Mini {
		t.Fatal("coretest: miniredis forms no cluster")
	}
	own := []string{"--cluster-enabled", "yes", "--cluster-announce-ip", host, "--cluster-node-timeout", "5000"}
	c := &Cluster{Kind: k}
	for range clusterNodes {
		c.Nodes = append(c.Nodes, startOn(t, k, freePortPair, append(own, args...)))
	}
	if front != nil {
		for _, n := range c.Nodes {
			c.Proxies = append(c.Proxies, front(n.Addr))
		}
	}
	c.each(t, c.prepare)
	c.each(t, c.meet)
	c.Await(t)
	return c
}

// Await returns when every node serves, as after a Restart.
func (c *Cluster) Await(t testing.TB) {
	t.Helper()
	c.each(t, c.awaitServing)
}

// Client returns a client of the cluster, through the proxies if there are any. It
// is closed when t ends; each tweak may change its options first.
func (c *Cluster) Client(t testing.TB, tweak ...func(*redis.ClusterOptions)) *redis.ClusterClient {
	t.Helper()
	opt := &redis.ClusterOptions{ContextTimeoutEnabled: true}
	for i := range c.Nodes {
		opt.Addrs = append(opt.Addrs, c.public(i))
	}
	for _, change := range tweak {
		change(opt)
	}
	client := redis.NewClusterClient(opt)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// public returns where clients reach node i.
func (c *Cluster) public(i int) string {
	if c.Proxies != nil {
		return c.Proxies[i].Addr
	}
	return c.Nodes[i].Addr
}

// each runs do for every node, with a client of the node itself.
func (c *Cluster) each(t testing.TB, do func(ctx context.Context, r *redis.Client, i int) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), clusterWait)
	defer cancel()
	for i, n := range c.Nodes {
		r := redis.NewClient(n.Options())
		err := do(ctx, r, i)
		_ = r.Close()
		if err != nil {
			t.Fatalf("coretest: %s cluster, node %d: %v", c.Kind, i, err)
		}
	}
}

// prepare gives node i its slots and its public port, while it is still alone.
func (c *Cluster) prepare(ctx context.Context, r *redis.Client, i int) error {
	_, port, _ := net.SplitHostPort(c.public(i))
	first, next := i*clusterSlots/clusterNodes, (i+1)*clusterSlots/clusterNodes
	return errors.Join(
		// Epochs that differ from the start spare the nodes settling them.
		r.Do(ctx, "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err(),
		r.ClusterAddSlotsRange(ctx, first, next-1).Err(),
		r.ConfigSet(ctx, "cluster-announce-port", port).Err(),
	)
}

// meet introduces node i to all. Left to gossip, the last pair of nodes would take
// seconds to find each other.
func (c *Cluster) meet(ctx context.Context, r *redis.Client, _ int) error {
	var err error
	for _, peer := range c.Nodes {
		peerHost, port, _ := net.SplitHostPort(peer.Addr)
		err = errors.Join(err, r.ClusterMeet(ctx, peerHost, port).Err())
	}
	return err
}

// awaitServing waits until node i knows an owner for every slot and will write.
func (c *Cluster) awaitServing(ctx context.Context, r *redis.Client, i int) error {
	for {
		info, err := r.ClusterInfo(ctx).Result()
		if err == nil && strings.Contains(info, "cluster_state:ok") {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("not serving after %v: %w: %s", clusterWait, err, c.Nodes[i].lastWords())
		}
		time.Sleep(poll)
	}
}

// freePortPair is freePort for a node, whose bus needs the port at busOffset.
func freePortPair() (int, error) {
	for range tries {
		port, err := freePort()
		if err != nil {
			return 0, err
		}
		bus, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port+busOffset)))
		if err == nil {
			return port, bus.Close()
		}
	}
	return 0, errors.New("coretest: no free port with a free one at +" + strconv.Itoa(busOffset))
}
