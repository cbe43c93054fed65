package keyfuncs_test

import (
	"fmt"
	"net/netip"

	"github.com/slidegate/slidegate/keyfuncs"
)

// A client that writes its own X-Forwarded-For is counted by the address that
// the proxy added behind it.
func ExampleIPBehind() {
	key := keyfuncs.IPBehind(netip.MustParsePrefix("10.0.0.0/8"))

	fmt.Println(key(request{
		peer:    "10.0.0.1:5000",
		headers: [][2]string{{"X-Forwarded-For", "1.2.3.4, 203.0.113.7"}},
	}))
	// Output: 203.0.113.7 <nil>
}

// Signed-in users are counted by identity and others by address, and no user
// name can be mistaken for an address.
func ExampleFirstOf() {
	key := keyfuncs.FirstOf(
		keyfuncs.Join(keyfuncs.Fixed("user"), keyfuncs.UserID("uid")),
		keyfuncs.IP)

	fmt.Println(key(request{peer: "203.0.113.7:5000", values: map[any]any{"uid": "alice"}}))
	fmt.Println(key(request{peer: "203.0.113.7:5000"}))
	// Output:
	// 4:user5:alice <nil>
	// 203.0.113.7 <nil>
}

// Where providers give each customer a /56, count by that.
func ExampleSubnet() {
	key := keyfuncs.Subnet(56).IP

	fmt.Println(key(request{peer: "[2001:db8:1:2ff::9]:5000"}))
	// Output: 2001:db8:1:200::/56 <nil>
}
