package core

import (
	"errors"
	"fmt"
	"net"
	"strings"
)

// Why Redis did not decide. Every error of a call that reached for Redis wraps
// exactly one of these; test with errors.Is.
var (
	// ErrNotExecuted: the charge certainly did not count. Redis was not
	// reached, or said that it would not run the script (LOADING, READONLY,
	// CLUSTERDOWN, OOM and their like).
	ErrNotExecuted = errors.New("redis did not run the decision; nothing was charged")
	// ErrUnknownOutcome: the charge was sent and its answer lost (timeout,
	// broken connection, cancelled caller). It counted once or not at all.
	ErrUnknownOutcome = errors.New("redis did not answer; the charge counted once or not at all")
	// ErrConfiguration: Redis refuses this client or these commands (NOAUTH,
	// NOPERM, a command it does not have). It stays so until somebody changes
	// the configuration; nothing was charged.
	ErrConfiguration = errors.New("redis refuses the decision; change its configuration or the policy")
	// ErrScript: a script failed on the server. It may have charged in part.
	ErrScript = errors.New("the script failed on the server; the charge may have counted in part")
	// ErrReply: the answer is not of the protocol's shape. The charge may have
	// counted; it is never taken for an allowance.
	ErrReply = errors.New("redis sent an answer of another shape; the charge may have counted")
)

// ErrClosed is returned by every call on a Limiter after Close.
var ErrClosed = errors.New("slidegate/core: limiter is closed; make a new one with New")

// PolicyError says which field of a Policy cannot be used, and what would do.
type PolicyError struct {
	Policy string // the policy's name, as given
	Field  string
	Value  any
	Want   string
}

// Error names package, policy, field, value and what is allowed.
func (e *PolicyError) Error() string {
	return fmt.Sprintf("slidegate/core: policy %.80q: %s is %s; want %s", e.Policy, e.Field, show(e.Value), e.Want)
}

// ArgumentError says which argument of a call or option cannot be used, and
// what would do.
type ArgumentError struct {
	Argument string
	Value    any
	Want     string
}

// Error names package, argument, value and what is allowed.
func (e *ArgumentError) Error() string {
	return fmt.Sprintf("slidegate/core: %s is %s; want %s", e.Argument, show(e.Value), e.Want)
}

func show(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%.80q", s)
	}
	return fmt.Sprint(v)
}

// outageError joins why Redis did not decide with what it or the network said.
// Its text holds no key and no address; errors.As still reaches the cause.
type outageError struct {
	class error
	cause error
}

func (e *outageError) Error() string {
	return "slidegate/core: " + e.class.Error() + ": " + discreet(e.cause)
}

func (e *outageError) Unwrap() []error { return []error{e.class, e.cause} }

// discreet describes err without addresses and keys: Redis repeats keys and
// names other nodes in its errors, and the network's errors name both ends.
func discreet(err error) string {
	if code, ok := redisCode(err); ok {
		return "redis answered " + code
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Op + ": " + discreet(op.Err)
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return "lookup of the host name: " + dns.Err
	}
	return err.Error()
}

// redisCode returns the first word of an error that Redis sent, two for ERR.
func redisCode(err error) (string, bool) {
	sent, ok := errors.AsType[interface {
		error
		RedisError()
	}](err)
	if !ok {
		return "", false
	}
	code, rest, _ := strings.Cut(sent.Error(), " ")
	if code == "ERR" {
		second, _, _ := strings.Cut(rest, " ")
		code += " " + second
	}
	return code, true
}
