package fibermw

// LimitWith is Limit over any engine.
var LimitWith = limit
