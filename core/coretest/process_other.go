//go:build !unix

package coretest

import (
	"os"
	"syscall"
)

// There are neither such signals nor such servers here; miniredis remains.
var stopSignal, contSignal os.Signal

func childAttr() *syscall.SysProcAttr { return nil }
