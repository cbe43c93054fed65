-- packed.lua: sub-windows in one string, oldest first; shared by sliding_window and adaptive_window.
--
-- Key     string "<shape>size last live;" and a record for each sub-window that holds units: its time in
--         p.digits bytes, without the higher ones, and its units in size bytes, both big-endian.
--         last is the whole time of the newest record, live the sum of all units
-- Idea    one GET and one SET: the sum is at hand, and only records that have left since the last write are
--         looked at. A record counts as long as leaves(p, its time) is after now.
--         An algorithm says in its policy: digits, span (256^digits), scale (µs in one unit of a record's
--         time), window (µs) and capacity.
local byte, char = string.byte, string.char
local HEAD = '%s' .. TRIPLE .. ';'

-- Numbers of so many bytes.
local get = {
  [2] = function(text, at)
    local a, b = byte(text, at, at + 1)
    return a * 256 + b
  end,
  [4] = function(text, at)
    local a, b, c, d = byte(text, at, at + 3)
    return ((a * 256 + b) * 256 + c) * 256 + d
  end,
  [6] = function(text, at)
    local a, b, c, d, e, f = byte(text, at, at + 5)
    return ((((a * 256 + b) * 256 + c) * 256 + d) * 256 + e) * 256 + f
  end,
  [7] = function(text, at)
    local a, b, c, d, e, f, g = byte(text, at, at + 6)
    return (((((a * 256 + b) * 256 + c) * 256 + d) * 256 + e) * 256 + f) * 256 + g
  end,
}
local put = {
  [2] = function(n) return char(floor(n / 256), n % 256) end,
  [4] = function(n) return char(floor(n / 16777216), floor(n / 65536) % 256, floor(n / 256) % 256, n % 256) end,
  [6] = function(n)
    return char(floor(n / 1099511627776), floor(n / 4294967296) % 256, floor(n / 16777216) % 256,
      floor(n / 65536) % 256, floor(n / 256) % 256, n % 256)
  end,
  [7] = function(n)
    return char(floor(n / 281474976710656), floor(n / 1099511627776) % 256, floor(n / 4294967296) % 256,
      floor(n / 16777216) % 256, floor(n / 65536) % 256, floor(n / 256) % 256, n % 256)
  end,
}

-- How many bytes hold n units.
local function size_of(n)
  if n < 65536 then return 2 end
  return n < 4294967296 and 4 or 7
end

-- The instant from which a record of time t does not count.
local function leaves(p, t)
  return t * p.scale + p.window
end

local function time_at(s, p, at)
  return s.last - (s.last - get[p.digits](s.text, at)) % p.span
end

local function units_at(s, p, at)
  return get[s.size](s.text, at + p.digits)
end

local function empty(s, p)
  s.text, s.at, s.live, s.size = '', 1, 0, size_of(p.capacity)
end

-- Takes text, whose shape ends before at; false if it is not such a list.
local function unpack_list(s, p, text, at)
  local size, last, live, first = match(text, '^(%d) (%d+) (%d+);()', at)
  s.text, s.at, s.size = text, first, tonumber(size)
  s.last, s.live = whole(last), whole(live)
  return s.last and s.live and get[s.size] and (#text + 1 - first) % (p.digits + s.size) == 0
end

-- Forgets, in s only, what has left by now; false if the list cannot be true.
local function evict(s, p, now)
  if leaves(p, s.last) <= now then
    empty(s, p)
    return true
  end
  local record, stop = p.digits + s.size, #s.text
  while s.at < stop do
    s.first = time_at(s, p, s.at)
    if leaves(p, s.first) > now then return s.live > 0 end
    s.live, s.at = s.live - units_at(s, p, s.at), s.at + record
  end
  return false
end

-- The records as {time, units}, oldest first.
local function records(s, p)
  local list = {}
  for at = s.at, #s.text, p.digits + s.size do
    list[#list + 1] = { time_at(s, p, at), units_at(s, p, at) }
  end
  return list
end

-- Makes list, in s only, the records of s; room is left for a count of most.
local function pack_list(s, p, list, shape, most)
  local text = {}
  empty(s, p)
  for _, record in ipairs(list) do most = max(most, record[2]) end
  s.size = size_of(max(most, p.capacity))
  for i, record in ipairs(list) do
    text[i + 1] = put[p.digits](record[1] % p.span) .. put[s.size](record[2])
    s.live, s.last = s.live + record[2], record[1]
  end
  if s.live == 0 then return end
  s.first = list[1][1]
  text[1] = format(HEAD, shape, s.size, s.last, s.live)
  s.text, s.at = table.concat(text), #text[1] + 1
end

-- Adds n units at time t, in s only: to the newest record where that is still open, else in one of their own.
local function count_in(s, p, shape, open, t, n)
  local units, stop = n, #s.text
  if open then
    stop = stop - p.digits - s.size
    units = n + units_at(s, p, stop + 1)
  end
  if size_of(units) > s.size then
    pack_list(s, p, records(s, p), shape, units)
    return count_in(s, p, shape, open, t, n)
  end
  if stop < s.at then s.first = t end
  s.last = t
  s.live = s.live + n
  local head = format(HEAD, shape, s.size, t, s.live)
  s.text = head .. sub(s.text, s.at, stop) .. put[p.digits](t % p.span) .. put[s.size](units)
  s.at = #head + 1
end

local packed = {}

-- Units that count against capacity now. Under a weighted edge a record that the window covers in part
-- counts by that part, rounded up.
function packed.used(s, p, now)
  if not p.weighted or s.live == 0 then return s.live end
  local covered = leaves(p, s.first) - now
  if covered >= p.scale then return s.live end
  local units = units_at(s, p, s.at)
  return s.live - units + ceil(units * covered / p.scale)
end

-- µs until n units fit: when the record has left that holds the last one too many.
function packed.check(s, p, n, now)
  local spare, rest = p.capacity - n, s.live
  for at = s.at, #s.text, p.digits + s.size do
    local units = units_at(s, p, at)
    rest = rest - units
    if rest <= spare then
      local left = leaves(p, time_at(s, p, at))
      if p.weighted and units > 0 then left = left - floor((spare - rest) * p.scale / units) end
      return left - now
    end
  end
  return leaves(p, s.last) - now
end

function packed.outlook(s, p, now)
  return packed.check(s, p, s.room + 1, now), leaves(p, s.last) - now
end

-- Reads the list under key by load, a function of the algorithm.
function packed.read(s, p, key, now, load)
  local text = pcall('GET', key)
  if text and text.err then text = typed(s, text) end
  empty(s, p)
  if text and not load(s, p, text, now) then
    empty(s, p)
    s.broken, s.stale = true, false
  end
  s.room = max(0, p.capacity - packed.used(s, p, now))
end

function packed.write(s, p, key, now)
  if s.live > 0 then
    call('SET', key, s.text, 'PX', p.ttl)
  else
    call('DEL', key)
  end
  s.room = max(0, p.capacity - packed.used(s, p, now))
end
