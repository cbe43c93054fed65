package ginmw

import (
	"github.com/gin-gonic/gin"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/keyfuncs"
)

// Limit returns a middleware that charges each request to the key that key
// yields, under policy p, and aborts those for which there is no room. It
// panics, naming package, field and value, if anything it is given cannot be
// used, such as a nil Limiter or a policy that is not valid; it does not panic
// while serving. The middleware may be mounted many times, and is safe for
// concurrent use. Without Redis, requests follow p.OnOutage.
func Limit(rl *core.Limiter, p core.Policy, key keyfuncs.Func, opts ...guard.Option) gin.HandlerFunc {
	return limit(rl, p, key, opts)
}

func limit(engine guard.Engine, p core.Policy, key keyfuncs.Func, opts []guard.Option) gin.HandlerFunc {
	gate := guard.New(pkg, engine, p, key, opts...)
	denied, _ := gate.Extra().(gin.HandlerFunc)
	return func(c *gin.Context) {
		v := gate.Judge(request{c})
		v.ApplyTo(c.Writer.Header())
		switch {
		case v.Refused():
			refuse(c, &v, denied)
		case v.Owes():
			v.Serve(func() int {
				c.Next()
				return c.Writer.Status()
			})
		}
		// Otherwise Gin goes on to the next handler by itself.
	}
}

func refuse(c *gin.Context, v *guard.Verdict, denied gin.HandlerFunc) {
	c.Abort()
	if v.Denied() && denied != nil {
		c.Request = c.Request.WithContext(v.Context(c.Request.Context()))
		c.Status(v.Status)
		denied(c)
		return
	}
	c.Header("Content-Type", v.ContentType)
	c.Status(v.Status)
	c.Writer.WriteHeaderNow()
	_, _ = c.Writer.WriteString(v.Body)
}
