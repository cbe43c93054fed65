package main

import (
	"fmt"
	"io"
	"os"
)

// deliver writes what the flags ask for.
func (o *options) deliver(out io.Writer, result *outcome) error {
	if o.picture != "" {
		if err := os.WriteFile(o.picture, []byte(draw(result)), 0o644); err != nil {
			return fmt.Errorf("-svg: %w", err)
		}
	}
	if o.json {
		return writeJSON(out, result)
	}
	return writeText(out, result)
}
