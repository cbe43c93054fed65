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
local COUNT = '%s' .. INT

-- The count that another window's state means for the window of now.
local function carried(s, p, text, now)
  local start, count = match(text, '^(%d+) (%d+)$')
  start, count = whole(start), whole(count)
  if not start or not count then
    s.broken = true
  elseif start >= p.start then
    s.stale = start > now
    return count
  end
  return 0
end

algorithms.fw = {
  fields = 2,

  policy = function(now, _, capacity, window)
    window = tonumber(window)
    local start = now - now % window
    local left, mark = start + window - now, format(INT, start) .. ' '
    return { capacity = tonumber(capacity), start = start, left = left, px = expiry(left), mark = mark, size = #mark }
  end,

  read = function(s, p, key, now)
    local text, count = pcall('GET', key), 0
    if text and text.err then text = typed(s, text) end
    if text then
      count = sub(text, 1, p.size) == p.mark and whole(sub(text, p.size + 1)) or carried(s, p, text, now)
    end
    local room = p.capacity - count
    s.count, s.room = count, room > 0 and room or 0
  end,

  check = function(s, p) return p.left end,
  outlook = function(s, p) return p.left, p.left end,

  spend = function(s, p, key, n)
    n = s.count + n
    s.count, s.room = n, p.capacity > n and p.capacity - n or 0
    call('SET', key, format(COUNT, p.mark, n), 'PX', p.px)
  end,

  -- The units of one window are alike, so it is as if these had never come.
  refund = function(s, p, key, n, at)
    if at < p.start or s.count == 0 then return end
    if n >= s.count then return call('DEL', key) end
    call('SET', key, format(COUNT, p.mark, s.count - n), 'PX', p.px)
  end,
}
