// Command gin is a small service on Gin with four limits: a public page by
// address, sign-in by failures, an API by user and plan, and one dear route of
// it. It uses the Redis of REDIS_URL, or one of its own.
package main

import (
	"log"
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/guard"
	"github.com/slidegate/slidegate/examples/internal/demo"
	"github.com/slidegate/slidegate/ginmw"
	"github.com/slidegate/slidegate/keyfuncs"
)

func main() {
	rl, stop := demo.Limiter()
	defer stop()
	log.Print("listening on http://localhost:8080")
	log.Print(app(rl).Run("localhost:8080"))
}

func app(rl *core.Limiter) *gin.Engine {
	public := ginmw.Limit(rl, demo.Public, keyfuncs.IP)
	login := ginmw.Limit(rl, demo.Login, keyfuncs.IP, guard.CountOnly(demo.Failed))
	api := ginmw.Limit(rl, demo.Free, keyfuncs.UserID("uid"), guard.PolicyFor(planOf))
	report := ginmw.Limit(rl, demo.Report, keyfuncs.Join(keyfuncs.UserID("uid"), keyfuncs.Route))

	r := gin.New()
	r.Use(gin.Recovery())
	r.GET("/", public, text("welcome"))
	r.POST("/login", login, signIn)
	group := r.Group("/api", authenticate, api)
	group.GET("/items", text("items"))
	group.GET("/report", report, text("report"))
	return r
}

func planOf(r keyfuncs.Request, _ core.Policy) core.Policy { return demo.Plan(r.Value("plan")) }

func authenticate(c *gin.Context) {
	account, ok := demo.Find(c.GetHeader("Authorization"))
	if !ok {
		c.AbortWithStatus(http.StatusUnauthorized)
		return
	}
	c.Set("uid", account.ID)
	c.Set("plan", account.Plan)
}

func signIn(c *gin.Context) {
	if c.PostForm("password") != demo.Password {
		c.String(http.StatusUnauthorized, "wrong password\n")
		return
	}
	c.String(http.StatusOK, "welcome back\n")
}

func text(s string) gin.HandlerFunc {
	return func(c *gin.Context) { c.String(http.StatusOK, s+"\n") }
}
