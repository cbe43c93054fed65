package core

import "strings"

const slots = 16384

// slotOf returns the Redis Cluster slot of a key: keys of one slot are always
// on one node, and only they can be in one script call.
func slotOf(key string) uint16 {
	if _, rest, ok := strings.Cut(key, "{"); ok {
		if tag, _, ok := strings.Cut(rest, "}"); ok && tag != "" {
			key = tag
		}
	}
	return crc16(key) % slots
}

// crc16 is CRC-16/XMODEM, the one of the Redis Cluster specification. Bit by
// bit is quick enough: it runs only for decisions of several charges.
func crc16(s string) uint16 {
	var sum uint16
	for i := range len(s) {
		sum ^= uint16(s[i]) << 8
		for range 8 {
			carry := sum & 0x8000
			sum <<= 1
			if carry != 0 {
				sum ^= 0x1021
			}
		}
	}
	return sum
}
