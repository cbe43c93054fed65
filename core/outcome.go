package core

import (
	"errors"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Prefixes of what Redis says when it has not run the script. Inside a script
// they come with a tail, so only the beginning counts. OOM, READONLY and
// NOREPLICAS are raised by a script's first write, so there was none.
var notExecuted = []string{
	"NOSCRIPT", "LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK",
	"NOREPLICAS", "BUSY", "OOM", "ERR max number of clients",
}

// Prefixes of what Redis says when it will not run the script for this client.
var refused = []string{
	"NOPERM", "NOAUTH", "WRONGPASS", "CROSSSLOT", "ERR unknown command", "ERR Unknown Redis command",
	"ERR This Redis command is not allowed", "ERR CROSSSLOT", "ERR invalid password", "ERR AUTH",
}

// outcome returns the class of an error from the client. The order matters: an
// answer by Redis is a proof, then come the errors that prove nothing was
// written, and everything else may have run.
func outcome(err error) error {
	if sent, ok := errors.AsType[interface {
		error
		RedisError()
	}](err); ok {
		return outcomeOfReply(sent.Error())
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return ErrNotExecuted
	}
	for _, never := range []error{redis.ErrPoolTimeout, redis.ErrPoolExhausted, redis.ErrClosed, errUnsent} {
		if errors.Is(err, never) {
			return ErrNotExecuted
		}
	}
	return ErrUnknownOutcome
}

func outcomeOfReply(text string) error {
	switch {
	case hasAnyPrefix(text, notExecuted):
		return ErrNotExecuted
	case hasAnyPrefix(text, refused):
		return ErrConfiguration
	}
	return ErrScript
}

func hasAnyPrefix(text string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}
