package core

import (
	"fmt"
	"math"
)

// joint is a decision's charges with those of one Redis key added up: the
// script reads each state once.
type joint struct {
	charges []charge
	of      []int // for each charge asked for, its place in charges
}

func (l *Limiter) join(asked []Charge) (joint, error) {
	if len(asked) == 0 {
		return joint{}, &ArgumentError{"AllowAll: number of charges", 0, "at least 1"}
	}
	var j joint
	for i, a := range asked {
		c, err := l.charge(a.Policy, a.Key, a.Cost)
		if err == nil {
			err = j.add(c, i)
		}
		if err != nil {
			return joint{}, err
		}
	}
	return j, nil
}

func (j *joint) add(c charge, i int) error {
	for at := range j.charges {
		known := &j.charges[at]
		if known.key != c.key {
			continue
		}
		if known.plan.policy != c.plan.policy {
			return &ArgumentError{fmt.Sprintf("AllowAll: charge %d: policy %q", i, c.plan.policy.Name),
				"a second one of this name and key", "policies of one decision to differ in name"}
		}
		known.cost += min(c.cost, math.MaxInt64-known.cost)
		j.of = append(j.of, at)
		return nil
	}
	j.charges = append(j.charges, c)
	j.of = append(j.of, len(j.charges)-1)
	return nil
}

// spread gives each charge asked for the decision on its sum.
func (j joint) spread(asked []Charge, decisions []Decision) []Decision {
	spread := make([]Decision, len(asked))
	for i, at := range j.of {
		spread[i] = decisions[at]
		spread[i].Cost = asked[i].Cost
	}
	return spread
}

func refusals(asked []Charge) []Decision {
	decisions := make([]Decision, len(asked))
	for i, a := range asked {
		decisions[i] = Decision{Policy: a.Policy, Cost: a.Cost}
	}
	return decisions
}
