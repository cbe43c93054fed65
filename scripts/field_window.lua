-- field_window.lua: sliding_window with its sub-windows in a hash, whose fields the server expires.
--
-- Key     HASH of sub-windows (see sub_windows.lua). Field 'm' = "width parts first ahead before_first
--         before_last admitted": the shape; the oldest sub-window that holds units and how far ahead of it
--         the newest is; how many units were admitted before either, and how many in all
-- Fields  capacity, window (µs), width of a sub-window (µs), weighted 0|1; expiry from Go
-- Expiry  window and a sub-window and a second; each sub-window when it leaves, by HPEXPIREAT
-- Cost    O(1): HGET, HSET, PEXPIRE. When the oldest leaves: an HMGET for the next, and for every eighth an
--         HDEL. A denied cost above 1 reads on until it fits: O(sub-windows) at most
-- Idea    conservative: the oldest sub-window counts whole as long as the window touches it, so no window
--         ever holds more than capacity. Weighted: it counts by the part still covered, rounded up.
local META = '%s ' .. TRIPLE .. ' ' .. INT .. ' '

-- The instant from which sub-window i does not count.
local function leaves(p, i)
  return (i + 1) * p.width + p.window
end

-- Brings the hash of another shape, or of a clock since stepped back, to this one, in s only.
local function reshape(s, p, key, width, window, now)
  local list = newest_first(call('HGETALL', key), s.admitted)
  if not list then
    s.broken = true
    return
  end
  s.stale, s.head = true, nil
  local old = { width = width, window = window, first = s.first, admitted = s.admitted }
  s.list, s.admitted = regroup(list, old, p, now)
  s.live, s.before_first, s.before_last = s.admitted, 0, 0
  if s.live > 0 then
    local newest = s.list[#s.list]
    s.first, s.last, s.before_last = s.list[1][1], newest[1], newest[2]
  end
end

-- Passes over sub-windows that have left.
local function advance(s, p, now)
  s.left, s.head = s.first, nil
  while leaves(p, s.first) <= now do
    s.first, s.before_first = following(s, s.first)
  end
end

-- Finds what of a hash of p's own shape counts now.
local function catch_up(s, p, key, now)
  if s.last > p.current then return reshape(s, p, key, p.width, p.window, now) end
  if leaves(p, s.last) <= now then
    s.all_left, s.before_first = true, s.admitted
  elseif leaves(p, s.first) <= now then
    advance(s, p, now)
  end
  s.live = s.admitted - s.before_first
  if s.live < 0 then s.broken = true end
end

local function parse(s, p, key, m, now)
  local shape, first, ahead, before_first, before_last, admitted = match(m, '^(%d+ %d+) (%d+) (%d+) (%d+) (%d+) (%d+)$')
  if not shape then s.broken = true return end
  s.head = sub(m, 1, -1 - #admitted)
  s.first, s.last = tonumber(first), first + ahead
  s.before_first, s.before_last, s.admitted = tonumber(before_first), tonumber(before_last), tonumber(admitted)
  if s.last > BIGGEST or s.admitted > BIGGEST or s.before_last >= s.admitted or s.before_first > s.before_last then
    s.broken = true
  elseif shape ~= p.shape then
    local width, parts = match(shape, '(%d+) (%d+)')
    if tonumber(width) == 0 then s.broken = true else reshape(s, p, key, tonumber(width), width * parts, now) end
  elseif s.last - s.first > p.parts then
    s.broken = true
  else
    catch_up(s, p, key, now)
  end
end

-- The sub-window after i that holds units, and the units before it; nothing after the last.
local function step(s, i)
  if i == s.last then return nil, s.admitted end
  if not s.list then
    if i ~= s.first then return following(s, i) end
    if not s.second then s.second, s.before_second = following(s, i) end
    return s.second, s.before_second
  end
  for j, entry in ipairs(s.list) do
    if entry[1] == i then return s.list[j + 1][1], s.list[j + 1][2] end
  end
end

-- Units that count against capacity now.
local function used(s, p, now)
  if p.weighted == 0 or s.live == 0 or s.first > p.current - p.parts then return s.live end
  local _, before = step(s, s.first)
  local rest = s.admitted - before
  return rest + ceil((s.live - rest) * (leaves(p, s.first) - now) / p.width)
end

-- The instant when sub-window i has left far enough for n units, if rest come after it; or nil.
local function fits_at(p, i, units, rest, n)
  local spare = p.capacity - n - rest
  if spare < 0 then return nil end
  if p.weighted == 0 or units <= 0 then return leaves(p, i) end
  return leaves(p, i) - floor(spare * p.width / units)
end

-- Counts n units in the current sub-window, in s only; true where it is a new one.
local function count_in(s, p, n)
  local new = s.live == 0 or s.last ~= p.current
  if s.live == 0 then s.first, s.before_first, s.admitted = p.current, 0, 0 end
  if new then
    s.last, s.before_last, s.head, s.second = p.current, s.admitted, nil, nil
    if s.list then s.list[#s.list + 1] = { p.current, s.admitted } end
  end
  s.live, s.admitted = s.live + n, s.admitted + n
  return new
end

-- Removes what has left, eight sub-windows at a time, or everything where the hash is written anew.
local function prune(s, key)
  if s.stale or s.all_left then return call('DEL', key) end
  if not s.left then return end
  local names = {}
  for i = floor(s.left / 8) * 8, floor(s.first / 8) * 8 - 1 do names[#names + 1] = format(FIELD, i) end
  if names[1] then call('HDEL', key, unpack(names)) end
end

local function write(s, p, key, new)
  s.head = s.head or format(META, p.shape, s.first, s.last - s.first, s.before_first, s.before_last)
  local m = s.head .. format(INT, s.admitted)
  if new then
    call('HSET', key, 'm', m, p.field, format(INT, s.before_last))
    expire_field(p, key, s.last)
  else
    call('HSET', key, 'm', m)
  end
  for _, entry in ipairs(s.stale and s.list or {}) do
    call('HSET', key, format(FIELD, entry[1]), format(INT, entry[2]))
    expire_field(p, key, entry[1])
  end
  call('PEXPIRE', key, p.ttl)
end

algorithms.sf = {
  fields = 4,

  policy = function(now, ttl, capacity, window, width, weighted)
    window, width = tonumber(window), tonumber(width)
    local parts, current = window / width, floor(now / width)
    return {
      ttl = ttl, capacity = tonumber(capacity), window = window, width = width, weighted = tonumber(weighted),
      parts = parts, current = current,
      shape = format(PAIR, width, parts), field = format(FIELD, current),
    }
  end,

  read = function(s, p, key, now)
    s.live, s.list, s.left, s.all_left, s.second = 0, nil, nil, false, nil
    local m = pcall('HGET', key, 'm')
    if m and m.err then m = typed(s, m) end
    if m then
      parse(s, p, key, m, now)
    elseif not s.broken then
      s.broken = call('EXISTS', key) == 1
    end
    if s.broken then s.live, s.stale = 0, false end
    s.room = max(0, p.capacity - used(s, p, now))
  end,

  check = function(s, p, n, now)
    if p.weighted == 0 and s.live + n - p.capacity == 1 then return leaves(p, s.first) - now end
    local i, rest = s.first, s.live
    while i do
      local next, before = step(s, i)
      local units = rest - s.admitted + before
      rest = s.admitted - before
      local at = fits_at(p, i, units, rest, n)
      if at then return at - now end
      i = next
    end
    return leaves(p, s.last) - now
  end,

  outlook = function(s, p, now)
    local whole_again = leaves(p, s.last) - now
    if s.first == s.last and p.weighted == 0 then return whole_again, whole_again end
    return algorithms.sf.check(s, p, s.room + 1, now), whole_again
  end,

  spend = function(s, p, key, n, now)
    local new = n > 0 and count_in(s, p, n)
    prune(s, key)
    if s.live > 0 then write(s, p, key, new) end
    s.stale, s.list = false, nil
    s.room = max(0, p.capacity - used(s, p, now))
  end,

  -- The units of one sub-window are alike, so it is as if these had never come. All later fields change,
  -- so the hash is written anew, which is O(sub-windows).
  refund = function(s, p, key, n, at, now)
    local i = floor(at / p.width)
    if s.live == 0 or i < s.first then return end
    reshape(s, p, key, p.width, p.window, now)
    if s.broken or not take_out(s, i, n) then return end
    s.head, s.second, s.all_left = nil, nil, false
    algorithms.sf.spend(s, p, key, 0, now)
  end,
}
