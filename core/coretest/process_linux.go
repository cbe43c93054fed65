package coretest

import (
	"os"
	"syscall"
)

var stopSignal, contSignal os.Signal = syscall.SIGSTOP, syscall.SIGCONT

// childAttr has the kernel kill a server whose test binary dies without cleaning
// up, as on a panic or a -timeout. (The kernel means the thread that forked, but
// Go ends a thread only if a goroutine exits while locked to it.)
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
