package core

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"
)

// sent is an error as Redis sends it.
type sent string

func (s sent) Error() string { return string(s) }
func (sent) RedisError()     {}

func TestOutcomes(t *testing.T) {
	dial := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 6379}, Err: syscall.ECONNREFUSED}
	read := &net.OpError{Op: "read", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 6379}, Err: syscall.ECONNRESET}
	for _, c := range []struct {
		err  error
		want error
		says string
	}{
		{sent("NOSCRIPT No matching script. Please use EVAL."), ErrNotExecuted, "NOSCRIPT"},
		{sent("LOADING Redis is loading the dataset in memory"), ErrNotExecuted, "LOADING"},
		{sent("READONLY You can't write against a read only replica. script: 0f1, on @user_script:1."), ErrNotExecuted, "READONLY"},
		{sent("MASTERDOWN Link with MASTER is down"), ErrNotExecuted, "MASTERDOWN"},
		{sent("CLUSTERDOWN The cluster is down"), ErrNotExecuted, "CLUSTERDOWN"},
		{sent("TRYAGAIN Multiple keys request during rehashing of slot"), ErrNotExecuted, "TRYAGAIN"},
		{sent("MOVED 3999 10.1.2.3:6381"), ErrNotExecuted, "MOVED"},
		{sent("ASK 3999 10.1.2.3:6381"), ErrNotExecuted, "ASK"},
		{sent("NOREPLICAS Not enough good replicas to write."), ErrNotExecuted, "NOREPLICAS"},
		{sent("BUSY Valkey is busy running a script."), ErrNotExecuted, "BUSY"},
		{sent("OOM command not allowed when used memory > 'maxmemory'."), ErrNotExecuted, "OOM"},
		{sent("ERR max number of clients reached"), ErrNotExecuted, "ERR max"},
		{dial, ErrNotExecuted, "dial: connection refused"},
		{fmt.Errorf("wrapped: %w", dial), ErrNotExecuted, "dial: connection refused"},
		{redis.ErrPoolTimeout, ErrNotExecuted, "pool timeout"},
		{redis.ErrPoolExhausted, ErrNotExecuted, "exhausted"},
		{redis.ErrClosed, ErrNotExecuted, "client is closed"},
		{io.EOF, ErrUnknownOutcome, "EOF"},
		{io.ErrUnexpectedEOF, ErrUnknownOutcome, "unexpected EOF"},
		{read, ErrUnknownOutcome, "read: connection reset"},
		{syscall.EPIPE, ErrUnknownOutcome, "broken pipe"},
		{context.DeadlineExceeded, ErrUnknownOutcome, "deadline"},
		{context.Canceled, ErrUnknownOutcome, "canceled"},
		{errors.New("redis: can't parse reply"), ErrUnknownOutcome, "parse"},
		{sent("NOPERM this user has no permissions"), ErrConfiguration, "NOPERM"},
		{sent("NOAUTH Authentication required."), ErrConfiguration, "NOAUTH"},
		{sent("WRONGPASS invalid username-password pair"), ErrConfiguration, "WRONGPASS"},
		{sent("CROSSSLOT Keys in request don't hash to the same slot"), ErrConfiguration, "CROSSSLOT"},
		{sent("ERR unknown command 'evalsha'"), ErrConfiguration, "ERR unknown"},
		{sent("ERR This Redis command is not allowed from script"), ErrConfiguration, "ERR This"},
		{sent("WRONGTYPE Operation against a key holding the wrong kind of value"), ErrScript, "WRONGTYPE"},
		{sent("ERR user_script:7: attempt to index a nil value rate_limit:{anna}:x"), ErrScript, "ERR user_script"},
	} {
		wrapped := &outageError{outcome(c.err), c.err}
		if !errors.Is(wrapped, c.want) || !errors.Is(wrapped, c.err) {
			t.Errorf("%q is %q; want %q, and the cause within", c.err, outcome(c.err), c.want)
		}
		text := wrapped.Error()
		if !strings.HasPrefix(text, "slidegate/core: ") || !strings.Contains(text, c.says) {
			t.Errorf("%q says %q; want %q in it", c.err, text, c.says)
		}
		if strings.Contains(text, "10.1.2.3") || strings.Contains(text, "anna") {
			t.Errorf("%q shows an address or a key", text)
		}
	}
}
