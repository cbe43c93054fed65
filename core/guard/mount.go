package guard

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/slidegate/slidegate/core"
)

// refuse stops the program while it is being put together: a mistake found
// then cannot surprise anyone while requests are served.
func (g *Gate) refuse(field, value, advice string) {
	panic(g.pkg + ": Limit: " + field + " is " + value + "; " + advice)
}

func (g *Gate) must(field string, given bool) {
	if !given {
		g.refuse(field, "nil", "give a function")
	}
}

// check refuses what New was given, but for the options' own arguments.
func (g *Gate) check() {
	if g.engine == nil || isNil(g.engine) {
		g.refuse("limiter", "nil", "make one with core.New")
	}
	for i, l := range g.limits {
		field := ""
		if i > 0 {
			field = "And: "
		}
		if l.key == nil {
			g.refuse(field+"key", "nil", "give a key function, such as keyfuncs.IP")
		}
		g.checkPolicy(field+"policy", l.policy)
		for _, other := range g.limits[:i] {
			if other.policy.Name == l.policy.Name {
				g.refuse(field+"policy: Name", fmt.Sprintf("%q", l.policy.Name), "which another policy of this Limit has; a client could not tell them apart")
			}
		}
	}
}

func (g *Gate) checkPolicy(field string, p core.Policy) {
	if err := p.Validate(); err != nil {
		panic(g.pkg + ": Limit: " + field + ": " + err.Error())
	}
	for _, n := range []int64{p.Limit, p.Capacity()} {
		if n > maxInteger && !slices.Equal(g.dialects, []Dialect{None}) {
			g.refuse(fmt.Sprintf("%s: limit of %q", field, p.Name), fmt.Sprint(n), "header fields hold 999999999999999 at most; use guard.Headers(guard.None)")
		}
	}
}

func isNil(engine Engine) bool {
	v := reflect.ValueOf(engine)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// mustAgree refuses dialects that cannot be sent in one response.
func (g *Gate) mustAgree(dialects []Dialect) []Dialect {
	if len(dialects) == 0 {
		g.refuse("Headers: list of dialects", "empty", "guard.None sends no fields")
	}
	drafts := 0
	for i, d := range dialects {
		switch {
		case d > None:
			g.refuse("Headers: dialect", d.String(), "give one of this package")
		case slices.Contains(dialects[:i], d):
			g.refuse("Headers: dialect", d.String(), "give it once")
		case d == None && len(dialects) > 1:
			g.refuse("Headers: dialect", d.String(), "give it alone or not at all")
		case d <= Draft06:
			drafts++
		}
	}
	if drafts > 1 {
		g.refuse("Headers: list of dialects", fmt.Sprint(dialects), "drafts give one field different meanings, so choose one of them")
	}
	return slices.Clone(dialects)
}
