package main

import (
	"fmt"
	"io"
	"os"
)

// deliver writes what the flags ask for.
func (o *options) deliver(out io.Writer, result *outcome) error {
	write := writeText
	if o.json {
		write = writeJSON
	}
	if err := write(out, result); err != nil || o.picture == "" {
		return err
	}
	if err := os.WriteFile(o.picture, []byte(draw(result)), 0o644); err != nil {
		return fmt.Errorf("-svg: %w", err)
	}
	return nil
}

// writable finds out before the run, not after it, whether the picture has a place.
func (o *options) writable() error {
	if o.picture == "" {
		return nil
	}
	f, err := os.OpenFile(o.picture, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return usageError{fmt.Errorf("-svg: %w", err)}
	}
	return f.Close()
}
