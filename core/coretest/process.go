package coretest

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// stopBound is how long a server may take to leave after being asked to.
const stopBound = 3 * time.Second

// process is one running server. It is signalled by its own id and reaped as soon
// as it ends, and os.Process refuses to signal an id that has been reaped.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

// spawn starts binary with both its outputs going to log.
func spawn(binary string, args []string, log *os.File) (*process, error) {
	cmd := exec.Command(binary, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = childAttr()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how a server ended is in its log
		close(p.done)
	}()
	return p, nil
}

// signal sends s; to a process that has ended it does nothing.
func (p *process) signal(s os.Signal) { _ = p.cmd.Process.Signal(s) }

// stop asks the process to leave and insists if it does not.
func (p *process) stop() {
	p.signal(syscall.SIGTERM)
	p.signal(contSignal) // a paused process sees no SIGTERM
	select {
	case <-p.done:
	case <-time.After(stopBound):
		p.kill()
	}
}

func (p *process) kill() {
	p.signal(os.Kill)
	<-p.done
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
