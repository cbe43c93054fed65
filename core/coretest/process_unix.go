//go:build unix && !linux

package coretest

import (
	"os"
	"syscall"
)

var stopSignal, contSignal os.Signal = syscall.SIGSTOP, syscall.SIGCONT

func childAttr() *syscall.SysProcAttr { return nil }
