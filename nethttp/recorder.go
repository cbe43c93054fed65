package nethttp

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// recorder notes the status that a handler answers, for guard.CountOnly alone.
// It offers what servers' own writers do, so that handlers which stream, send
// files or take the connection over work behind it.
type recorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the first status that is final: 1xx are not, but for 101.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the rest.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush sends what was written; a writer that cannot keeps it.
func (w *recorder) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Hijack takes the connection over. What is sent then has no status; it counts
// as 101.
func (w *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil && w.status == 0 {
		w.status = http.StatusSwitchingProtocols
	}
	return conn, buffered, err
}

// Push starts a push where the connection can.
func (w *recorder) Push(target string, opts *http.PushOptions) error {
	if pusher, ok := w.ResponseWriter.(http.Pusher); ok {
		return pusher.Push(target, opts)
	}
	return http.ErrNotSupported
}

// ReadFrom lets the server copy files by itself.
func (w *recorder) ReadFrom(src io.Reader) (int64, error) {
	return io.Copy(w.ResponseWriter, src)
}

// statusOr200 is the status a server sends where a handler named none.
func (w *recorder) statusOr200() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}
