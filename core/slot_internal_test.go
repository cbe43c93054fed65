package core

import "testing"

// The vectors of the Redis Cluster specification and of go-redis, and what
// CLUSTER KEYSLOT says of keys of ours.
func TestSlots(t *testing.T) {
	if sum := crc16("123456789"); sum != 0x31C3 {
		t.Errorf("crc16 of 123456789 is %#x; want 0x31C3", sum)
	}
	for key, want := range map[string]uint16{
		"123456789": 12739, "{}foo": 9500, "foo{}": 5542, "foo{}{bar}": 8363,
		"foo{bar}{zap}": slotOf("bar"), "foo{{bar}}zap": slotOf("{bar"),
		"{user1000}.following": slotOf("user1000"), "": 0,
		"S\x99\x86v\xe5\xd6\xf4K\x8c%\xd7\xd7": 5463,
	} {
		if got := slotOf(key); got != want {
			t.Errorf("slot of %q is %d; want %d", key, got, want)
		}
	}
}
