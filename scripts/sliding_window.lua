-- sliding_window.lua: units counted by sub-window; the window is whole sub-windows and a part of the oldest.
--
-- Key     string "width parts size last live;" and then the units of each sub-window, from the oldest that
--         holds any to the last, in size bytes each, big-endian. Sub-window i is [i·width, (i+1)·width)
--         from the epoch, last the number of the newest, live the sum of all
-- Fields  capacity, window (µs), width of a sub-window (µs), weighted 0|1; expiry from Go
-- Expiry  window and a sub-window and a second
-- Cost    one GET, one SET of about a byte for each sub-window; only those that left since the last write
--         are looked at. A denied cost above 1 reads on until it fits: O(sub-windows) at most
-- Idea    conservative: the oldest sub-window counts whole as long as the window touches it, so no window
--         ever holds more than capacity. Weighted: it counts by the part still covered, rounded up.
--         Window 10 s in 5: units of 1 s to 2 s leave together at 12 s.
local SHAPE, HEAD, MARK, LIVE = PAIR .. ' ', '%s' .. TRIPLE .. ';', '%s1 ' .. INT .. ' ', INT .. ';'
local NUMBERS = '^([1-7]) (%d+) (%d+);()'

-- The units of the sub-window that stands at a place.
local function units_at(s, at)
  if s.size == 1 then return (byte(s.text, at)) end
  return number(s.text, at, s.size)
end

-- The instant from which sub-window i does not count.
local function leaves(p, i)
  return (i + 1) * p.width + p.window
end

local function empty(s)
  s.text, s.at, s.live, s.size = '', 1, 0, 1
end

-- Takes text, by what its head says; false if it is not such a state.
local function take(s, text, size, last, live, at)
  if not size then return false end
  size, last, live = tonumber(size), tonumber(last), tonumber(live)
  local count = (#text + 1 - at) / size
  s.text, s.at, s.size, s.last, s.live, s.first = text, at, size, last, live, last - count + 1
  return count >= 1 and s.first % 1 == 0 and live > 0 and live <= BIGGEST and last <= BIGGEST
end

-- Passes over what has left by now and what is empty then, in s only; false if the counts cannot be true.
local function evict(s, p)
  if s.last <= p.gone then
    empty(s)
    return true
  end
  local gone, at, live = p.gone + 1 - s.first, s.at, s.live
  if gone > 0 then
    local stop = at + gone * s.size
    while at < stop do
      live, at = live - units_at(s, at), at + s.size
    end
    local used = find(s.text, '[^%z]', at)
    if not used then return false end
    at = used - (used - at) % s.size
    s.first, s.at, s.live = s.first + (at - s.at) / s.size, at, live
  end
  s.oldest = units_at(s, at)
  return live >= s.oldest
end

-- The sub-windows that hold units, as {i, units}, oldest first.
local function listed(s)
  local list, i = {}, s.first
  for at = s.at, #s.text, s.size do
    local n = units_at(s, at)
    if n > 0 then list[#list + 1] = { i, n } end
    i = i + 1
  end
  return list
end

-- Makes body the counts of s, in s only.
local function seal(s, p, body)
  local head
  if s.size == 1 and s.last == p.current then
    head = p.mark .. format(LIVE, s.live)
  else
    head = format(HEAD, p.shape, s.size, s.last, s.live)
  end
  s.text, s.at = head .. body, #head + 1
end

-- Makes list the sub-windows of s, each in size bytes.
local function pack(s, p, list, size)
  empty(s)
  s.size = size
  if not list[1] then return end
  local body, before = {}, list[1][1] - 1
  s.first, s.oldest = list[1][1], list[1][2]
  for _, entry in ipairs(list) do
    body[#body + 1] = rep('\0', (entry[1] - before - 1) * size) .. bytes(entry[2], size)
    before, s.live = entry[1], s.live + entry[2]
  end
  s.last = before
  seal(s, p, table.concat(body))
end

-- Sub-windows of another width, and those after now, in p's own: in the one that holds their last µs, or
-- now: late rather than early, so that none is forgiven. What has left the old window stays gone.
local function regroup(list, width, window, p, now)
  local moved, most = {}, 0
  for _, entry in ipairs(list) do
    local ends, newest = (entry[1] + 1) * width, moved[#moved]
    local i = floor(min(ends - 1, now) / p.width)
    if ends + window > now and i > p.gone then
      if newest and newest[1] == i then
        newest[2] = newest[2] + entry[2]
      else
        newest = { i, entry[2] }
        moved[#moved + 1] = newest
      end
      most = max(most, newest[2])
    end
  end
  return moved, size_of(most)
end

local function reshape(s, p, width, window, now)
  pack(s, p, regroup(listed(s), width, window, p, now))
  s.stale = true
  return true
end

local function parse(s, p, text, now)
  if take(s, text, match(text, p.head)) then
    if s.last > p.current then return reshape(s, p, p.width, p.window, now) end
    return evict(s, p)
  end
  local width, parts = match(text, '^(%d+) (%d+) ')
  if not width or not take(s, text, match(text, NUMBERS, #width + #parts + 3)) then return false end
  return reshape(s, p, tonumber(width), width * parts, now)
end

-- Units that count against capacity now.
local function used(s, p, now)
  if s.live == 0 or not p.weighted then return s.live end
  local covered = leaves(p, s.first) - now
  if covered >= p.width then return s.live end
  return s.live - s.oldest + ceil(s.oldest * covered / p.width)
end

-- Counts n units in the current sub-window, in s only.
local function count_in(s, p, n)
  local body, units, gap = '', n, 0
  if s.live > 0 then
    gap = p.current - s.last
    local stop = #s.text
    if gap == 0 then
      stop = stop - s.size
      units = n + units_at(s, stop + 1)
    end
    body = sub(s.text, s.at, stop)
  end
  if units >= 256 ^ s.size then
    pack(s, p, listed(s), size_of(units))
    return count_in(s, p, n)
  end
  if gap > 1 then body = body .. rep('\0', (gap - 1) * s.size) end
  if body == '' then s.first, s.oldest = p.current, units end
  s.last, s.live = p.current, s.live + n
  seal(s, p, body .. (s.size == 1 and char(units) or bytes(units, s.size)))
end

algorithms.sw = {
  fields = 4,

  policy = function(now, ttl, capacity, window, width, weighted)
    window, width = tonumber(window), tonumber(width)
    local parts, current = window / width, floor(now / width)
    local shape = format(SHAPE, width, parts)
    return {
      ttl = ttl, capacity = tonumber(capacity), window = window, width = width, weighted = weighted == '1',
      shape = shape, head = '^' .. shape .. sub(NUMBERS, 2), mark = format(MARK, shape, current), current = current, gone = current - parts - 1,
    }
  end,

  read = function(s, p, key, now)
    local text = pcall('GET', key)
    if text and text.err then text = typed(s, text) end
    if not text then
      empty(s)
    elseif not parse(s, p, text, now) then
      empty(s)
      s.broken, s.stale = true, false
    end
    local room = p.capacity - (p.weighted and used(s, p, now) or s.live)
    s.room = room > 0 and room or 0
  end,

  check = function(s, p, n, now)
    local spare, rest, i = p.capacity - n, s.live, s.first
    for at = s.at, #s.text, s.size do
      local units = units_at(s, at)
      rest = rest - units
      if rest <= spare and units > 0 then
        if not p.weighted then return leaves(p, i) - now end
        return leaves(p, i) - floor((spare - rest) * p.width / units) - now
      end
      i = i + 1
    end
    return leaves(p, s.last) - now
  end,

  outlook = function(s, p, now)
    local whole_again = leaves(p, s.last) - now
    if s.first == s.last and not p.weighted then return whole_again, whole_again end
    if s.room + s.live == p.capacity and not p.weighted then return leaves(p, s.first) - now, whole_again end
    return algorithms.sw.check(s, p, s.room + 1, now), whole_again
  end,

  spend = function(s, p, key, n, now)
    if n > 0 then count_in(s, p, n) end
    if s.live > 0 then
      call('SET', key, s.text, 'PX', p.ttl)
    else
      call('DEL', key)
    end
    local room = p.capacity - (p.weighted and used(s, p, now) or s.live)
    s.room = room > 0 and room or 0
  end,

  -- The units of one sub-window are alike, so it is as if these had never come.
  refund = function(s, p, key, n, at, now)
    local i, kept = floor(at / p.width), {}
    if s.live == 0 or i < s.first then return end
    for _, entry in ipairs(listed(s)) do
      if entry[1] == i then entry[2] = entry[2] - n end
      if entry[2] > 0 then kept[#kept + 1] = entry end
    end
    pack(s, p, kept, s.size)
    algorithms.sw.spend(s, p, key, 0, now)
  end,
}
