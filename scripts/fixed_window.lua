-- fixed_window.lua: at most capacity units in each window aligned to the epoch.
--
-- Key     string "start count": the window's first µs, and the units admitted in it
-- Fields  capacity, window (µs)
-- Expiry  the window's end and a second
-- Cost    O(1): one GET, one SET when admitted
-- Idea    a count belongs to the window its start lies in, so an old one is nothing, whatever the TTL
--         says. A count from the future (the clock stepped back) is charged to the current window.
--         60 s, 70 s into an hour with count 3: "60000000 3", and 50 s to wait for the next window.
--         Twice capacity can pass around a boundary: at the end of one window and the start of the next.
algorithms.fw = {
  fields = { 'capacity', 'window' },

  read = function(s, p, key, now)
    local start, count = now - now % p.window, 0
    local text = typed(s, pcall('GET', key))
    if text then
      local since, n = match(text, '^(%d+) (%d+)$')
      since, n = whole(since), whole(n)
      if not n or not since then
        s.broken = true
      elseif since >= start then
        count, s.stale = n, since > now
      end
    end
    s.start, s.count, s.room = start, count, max(0, p.capacity - count)
  end,

  check = function(s, p, n, now)
    if n <= s.room then return 0 end
    return s.start + p.window - now
  end,

  spend = function(s, p, key, n, now)
    s.count = s.count + n
    s.room = max(0, p.capacity - s.count)
    call('SET', key, format('%.0f %.0f', s.start, s.count), 'PX', expiry(s.start + p.window - now))
  end,
}
