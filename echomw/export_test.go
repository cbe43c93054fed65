package echomw

// LimitWith is Limit over any engine.
var LimitWith = limit
