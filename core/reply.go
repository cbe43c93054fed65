package core

import (
	"fmt"
	"time"
)

// numbersPerCharge is how many integers the driver returns for a charge.
const numbersPerCharge = 5

// decode reads the driver's reply to a call with this tag and these charges.
// Anything but the exact shape is an error: a reply that cannot be understood
// allows nothing.
func decode(reply any, tag int64, charges []charge) ([]Decision, error) {
	list, ok := reply.([]any)
	if !ok {
		return nil, fmt.Errorf("a %T in place of a list", reply)
	}
	if want := 1 + numbersPerCharge*len(charges); len(list) != want {
		return nil, fmt.Errorf("%d numbers in place of %d", len(list), want)
	}
	if list[0] != tag {
		return nil, fmt.Errorf("the answer of another call")
	}
	decisions := make([]Decision, len(charges))
	for i, c := range charges {
		d, err := decodeCharge(list[1+numbersPerCharge*i:][:numbersPerCharge], c)
		if err != nil {
			return nil, err
		}
		decisions[i] = d
	}
	return decisions, nil
}

func decodeCharge(list []any, c charge) (Decision, error) {
	var n [numbersPerCharge]int64
	for i, v := range list {
		number, ok := v.(int64)
		if !ok {
			return Decision{}, fmt.Errorf("a %T in place of a number", v)
		}
		n[i] = number
	}
	retry, remaining, next, reset, repaired := n[0], n[1], n[2], n[3], n[4]
	capacity := c.plan.policy.Capacity()
	if retry < -1 || remaining < 0 || remaining > capacity || next < 0 || reset < next || repaired&^1 != 0 || reset > biggest {
		return Decision{}, fmt.Errorf("numbers out of range")
	}
	d := Decision{
		Policy: c.plan.policy, Cost: c.cost, Allowed: retry == 0, Remaining: remaining,
		RetryAfter: micros(retry), NextAfter: micros(next), ResetAfter: micros(reset), Repaired: repaired == 1,
	}
	if retry < 0 {
		d.RetryAfter = Never
	}
	return d, nil
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
