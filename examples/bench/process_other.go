//go:build !unix

package main

import "os/exec"

func own(*exec.Cmd) {}

// clientCPU is unknown here: the system has no getrusage.
func clientCPU() (µs float64) { return unknown }
