package guard

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/slidegate/slidegate/core"
)

// Problem types that draft-ietf-httpapi-ratelimit-headers-11 registers.
const (
	problemQuota   = "https://iana.org/assignments/http-problem-types#quota-exceeded"
	problemReduced = "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"
)

// problem is a body after RFC 9457. A type that is left out says no more than
// the status does.
type problem struct {
	Type     string   `json:"type,omitempty"`
	Title    string   `json:"title"`
	Status   int      `json:"status"`
	Violated []string `json:"violated-policies,omitempty"`
}

func (p problem) body() string {
	text, err := json.Marshal(p)
	if err != nil {
		return ""
	}
	return string(text)
}

// refusalProblem is the body of a 429 or 503: which policies stood in the way.
func refusalProblem(status int, ds []core.Decision) string {
	p := problem{Type: problemQuota, Title: "Quota Exceeded", Status: status}
	if status == http.StatusServiceUnavailable {
		p.Type, p.Title = problemReduced, "Temporary Reduced Capacity"
	}
	for _, d := range ds {
		if !d.Allowed {
			p.Violated = append(p.Violated, d.Policy.Name)
		}
	}
	return p.body()
}

// refusalText is the same for people, in one line.
func refusalText(status int, a *answer) string {
	text := "Too many requests."
	switch {
	case status == http.StatusServiceUnavailable:
		text = "Temporarily unavailable."
	case !a.waits():
		text = "This request is larger than the limit allows."
	}
	if a.waits() {
		text += " Try again in " + strconv.FormatInt(a.retrySeconds(), 10) + " s."
	}
	return text + "\n"
}

// statusTitle names a status that this package does not choose itself.
func statusTitle(status int) string {
	if title := http.StatusText(status); title != "" {
		return title
	}
	return "Refused"
}
