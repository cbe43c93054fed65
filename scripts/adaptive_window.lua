-- adaptive_window.lua: a sliding window whose sub-windows narrow under load and widen when it is quiet.
--
-- Key     string "parts size last live;" and then a record for each sub-window that holds units, oldest first:
--         the time of its last unit (µs, the lower 6 bytes: 8.9 years) and its units in size bytes, all
--         big-endian. parts is how many sub-windows the window has at present, last the time of the
--         newest unit, live the sum of all units
-- Fields  capacity, window (µs), fewest parts, most parts, high, low; expiry from Go
-- Expiry  window and a second
-- Cost    one GET, one SET of 7 to 13 bytes for each sub-window that holds units; only those that left since
--         the last write are looked at. A denied cost above 1 reads on until it fits
-- Idea    units join the newest record while they fall into the same sub-window, and leave together one
--         window after its last. So no window ever holds more than capacity, and a change of width moves
--         no unit. More than high units in the newest sub-window, or in the one just before: half the
--         width from here on. Fewer than low, counting 0 where one was skipped, when the next one begins:
--         twice the width.
local TIME, SPAN = 6, 281474976710656
local RECORDS, STATE = INT .. ' ' .. TRIPLE .. ';', '^(%d+) ([1-7]) (%d+) (%d+);()'

local function empty(s)
  s.text, s.at, s.live, s.size = '', 1, 0, 1
end

local function time_at(s, at)
  local a, b, c, d, e, f = byte(s.text, at, at + 5)
  return s.last - (s.last - ((((a * 256 + b) * 256 + c) * 256 + d) * 256 + e) * 256 - f) % SPAN
end

local function record(t, units, size)
  local high, low = floor(t / 16777216), t % 16777216
  return char(floor(high / 65536) % 256, floor(high / 256) % 256, high % 256, floor(low / 65536), floor(low / 256) % 256, low % 256)
    .. (size == 1 and char(units) or bytes(units, size))
end

local function units_at(s, at)
  if s.size == 1 then return (byte(s.text, at + TIME)) end
  return number(s.text, at + TIME, s.size)
end

-- The instant from which the record at a place does not count.
local function leaves(s, p, at)
  return time_at(s, at) + p.window
end

-- Makes body the records of s, in s only.
local function seal(s, body)
  local head = format(RECORDS, s.parts, s.size, s.last, s.live)
  s.text, s.at = head .. body, #head + 1
end

-- The records again, with size bytes for units, and none after now.
local function rewrite(s, now, size)
  local body = {}
  for at = s.at, #s.text, TIME + s.size do
    body[#body + 1] = record(min(time_at(s, at), now), units_at(s, at), size)
  end
  s.last, s.size = min(s.last, now), size
  seal(s, table.concat(body))
end

-- Passes over what has left by now, in s only; false if the units cannot be true.
local function evict(s, p, now)
  if s.last + p.window <= now then
    empty(s)
    return true
  end
  local record, stop = TIME + s.size, #s.text
  while s.at < stop and leaves(s, p, s.at) <= now do
    s.live, s.at = s.live - units_at(s, s.at), s.at + record
  end
  return s.at < stop and s.live > 0
end

local function parse(s, p, text, now)
  local parts, size, last, live, at = match(text, STATE)
  if not parts then return false end
  s.text, s.at, s.size, s.last, s.live = text, at, tonumber(size), tonumber(last), tonumber(live)
  s.parts = min(max(tonumber(parts), p.fewest), p.most)
  local count = (#text + 1 - at) / (TIME + s.size)
  if count < 1 or count % 1 ~= 0 or s.last > BIGGEST or s.live > BIGGEST then return false end
  if s.last > now then
    rewrite(s, now, s.size)
    s.stale = true
  end
  return evict(s, p, now)
end

-- Chooses the width for a unit of now; true if the newest record is still open for it then.
local function adapt(s, p, now)
  local passed, recent = 2, 0
  local width = ceil(p.window / s.parts)
  if s.live > 0 then passed = floor(now / width) - floor(s.last / width) end
  if passed <= 1 then recent = number(s.text, #s.text - s.size + 1, s.size) end
  if recent > p.high then
    s.parts = min(s.parts * 2, p.most)
  elseif recent < p.low and passed > 0 then
    s.parts = max(ceil(s.parts / 2), p.fewest)
  end
  width = ceil(p.window / s.parts)
  return s.live > 0 and floor(now / width) == floor(s.last / width)
end

-- Counts n units of now, in s only: in the newest record where it is still open, else in one of their own.
local function count_in(s, n, now, open)
  local units, stop = n, #s.text
  if open then
    stop = stop - TIME - s.size
    units = n + units_at(s, stop + 1)
  end
  if s.live == 0 then
    s.size = size_of(units)
  elseif units >= 256 ^ s.size then
    rewrite(s, now, size_of(units))
    return count_in(s, n, now, open)
  end
  local kept = sub(s.text, s.at, stop)
  s.last, s.live = now, s.live + n
  seal(s, kept .. record(now, units, s.size))
end

algorithms.aw = {
  fields = 6,

  policy = function(_, ttl, capacity, window, fewest, most, high, low)
    return {
      ttl = ttl, capacity = tonumber(capacity), window = tonumber(window),
      fewest = tonumber(fewest), most = tonumber(most), high = tonumber(high), low = tonumber(low),
    }
  end,

  read = function(s, p, key, now)
    local text = pcall('GET', key)
    if text and text.err then text = typed(s, text) end
    s.parts = p.fewest
    if not text then
      empty(s)
    elseif not parse(s, p, text, now) then
      empty(s)
      s.broken, s.stale = true, false
    end
    s.room = max(0, p.capacity - s.live)
  end,

  check = function(s, p, n, now)
    local leaving = s.live + n - p.capacity
    for at = s.at, #s.text, TIME + s.size do
      leaving = leaving - units_at(s, at)
      if leaving <= 0 then return leaves(s, p, at) - now end
    end
    return s.last + p.window - now
  end,

  outlook = function(s, p, now)
    return algorithms.aw.check(s, p, s.room + 1, now), s.last + p.window - now
  end,

  spend = function(s, p, key, n, now)
    if n > 0 then count_in(s, n, now, adapt(s, p, now)) end
    if s.live > 0 then
      call('SET', key, s.text, 'PX', p.ttl)
    else
      call('DEL', key)
    end
    s.room = max(0, p.capacity - s.live)
  end,
}
