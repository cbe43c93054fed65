package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"time"
)

// writable finds out before the run whether its output has a place to go.
func (o *options) writable() error {
	for _, path := range []string{o.report, o.picture} {
		if path == "" {
			continue
		}
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			return fmt.Errorf("%s cannot be written (%w); choose another place with -out or -picture", path, root(err))
		}
		file.Close()
	}
	return nil
}

// deliver writes everything that was asked for.
func (o *options) deliver(out, status io.Writer, result outcome, recorded *trace, started time.Time) error {
	write := writeText
	switch {
	case o.json:
		write = writeJSON
	case o.markdown:
		write = writeMarkdown
	}
	if err := write(out, result); err != nil {
		return err
	}
	report := func(w io.Writer, r outcome) error { return writeReport(w, r, recorded.keyName) }
	if err := cmp.Or(save(o.report, result, report), save(o.picture, result, writePicture)); err != nil {
		return err
	}
	fmt.Fprintf(status, "done in %s; traffic: %s", time.Since(started).Round(100*time.Millisecond), result.Traffic)
	if o.report != "" {
		fmt.Fprintf(status, "; charts: %s", o.report)
	}
	fmt.Fprintln(status)
	return nil
}

func save(path string, result outcome, write func(io.Writer, outcome) error) error {
	if path == "" {
		return nil
	}
	var page bytes.Buffer
	if err := write(&page, result); err != nil {
		return err
	}
	return os.WriteFile(path, page.Bytes(), 0o644)
}
