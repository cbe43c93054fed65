//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// own keeps an interrupt meant for the program from ending cmd first, in the
// middle of a measurement that is then thrown away properly.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// clientCPU is what this process has used so far.
func clientCPU() (µs float64) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return unknown
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e3
}
