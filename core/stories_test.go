package core_test

import (
	"context"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/coretest"
)

// Each story runs on the model, which it explains, and on every server.
func TestStories(t *testing.T) {
	for _, story := range coretest.Stories {
		t.Run(story.Name+"/model", func(t *testing.T) {
			var model coretest.Model
			story.Run(t, func(at time.Duration, c core.Charge) (core.Decision, error) {
				return model.Decide(at.Microseconds(), c)[0], nil
			})
		})
		t.Run(story.Name, func(t *testing.T) {
			coretest.EachWithMini(t, func(t *testing.T, s *coretest.Server) {
				c := newClock()
				c.startWindow(24 * time.Hour)
				start, key := c.now.Load(), someone()
				l := limiter(t, s, c.option())
				story.Run(t, func(at time.Duration, charge core.Charge) (core.Decision, error) {
					c.now.Store(start + at.Microseconds())
					return l.AllowN(context.Background(), charge.Policy, key, charge.Cost)
				})
			})
		})
	}
}
