// Package keyfuncs decides who shares an allowance: a Func turns a request
// into a key, and requests of one key are counted together. The functions here
// are written so that a client cannot choose, multiply or blank its key.
//
// There is no default, because only you know what stands in front of your
// program. Pick the row of your deployment; prefixes are the networks your
// proxies connect from.
//
//	deployment                       key function
//	---------------------------------------------------------------------------
//	clients connect directly         IP
//	nginx, adding to the header      IPBehind(nginx)
//	  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
//	nginx, setting its own header    IPFromHeader("X-Real-IP", nginx)
//	  proxy_set_header X-Real-IP $remote_addr;
//	AWS ALB, ELB (HTTP listener)     IPBehind(the VPC subnets of the balancer)
//	AWS NLB, TCP balancers           IP, with client address preservation on
//	Cloudflare, straight to you      IPFromHeader("CF-Connecting-IP",
//	                                   the networks on cloudflare.com/ips)
//	Cloudflare, then nginx           IPBehind(nginx, the networks of Cloudflare)
//	Kubernetes ingress               IPBehind(the pod network of the ingress)
//	two proxies, both known          IPBehind(inner, outer)
//	two proxies, outer unknown       IPBehindHops(2, inner)
//	a proxy that sends Forwarded     IPFromForwarded(proxy)
//	proxies of unknown addresses,    IPBehindHops(1, AnyProxyInsecure()...)
//	  and no way around them
//
// A program that listens on a unix socket sees no peer address, so every
// request has the key bad/unknown; let the proxy connect over loopback and
// trust 127.0.0.0/8 and ::1/128.
//
// Signed-in users are counted by identity, others by address, with
//
//	keyfuncs.FirstOf(keyfuncs.UserID("uid"), keyfuncs.IP)
//
// Per route, join Route to either. Route and not Path, because clients choose
// paths. It is known where the limiter runs behind the router:
//
//	mounted by   net/http       chi            gin       echo            fiber
//	-----------------------------------------------------------------------------
//	whole app    ErrNoKey       ErrNoKey, Use  route     route in Use,   ErrNoKey
//	                                                     ErrNoKey in Pre
//	subrouter    pattern of     /api/*, Use    route     route           ErrNoKey
//	or group     the mount
//	one route    pattern with   pattern, With  route     route           route
//	             its method
//
// In gin and in echo's Use, requests that match no route share the key
// Unmatched.
//
// Every key is a string of its own: none of these functions returns memory of
// the request, which fiber reuses after the handler. No function panics over
// what a request holds, all may be called by many goroutines, and no error
// text holds a key or anything a client sent. What is wrong with a
// function's own arguments panics at once, while the program is put together.
package keyfuncs
