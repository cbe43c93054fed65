-- compact_log.lua: the sliding log in one string: at most capacity units in any window of time.
--
-- Key     string: a header of 23 bytes, then a ring of slots of 6 bytes, one for each unit. Numbers are
--         binary, the high byte first:
--           mark 1, slots 3, head 3, count 3   count units from slot head on, oldest first, around the end
--           oldest 6, newest 7                 the times of the first and the last of them, in µs
--         A slot is its unit's µs modulo 2^48. Units that are kept together span 366 days at most, newest
--         is whole, and so each is known: with newest 1 day after a multiple of 2^48, a slot of 2^48 minus
--         a day was two days before newest
-- Fields  capacity, window (µs); the expiry is window and a second, from Go
-- Expiry  the newest unit's end and a second
-- Cost    O(log capacity) to judge: STRLEN and the header; where the oldest has left, what follows it; at
--         most a binary search. Two SETRANGE and PEXPIRE to write. A ring that is full, or would stay less
--         than two thirds full, is written anew to fit: O(count), once for many units. To write all of it
--         each time costs more even for 5 units (measured). Memory: 6 to 9 bytes for each unit that
--         counted at the last write, and up to 200 with the key's name; units that leave free nothing
--         before the next write, or the expiry
-- Idea    as sliding_log.lua, answer for answer: units admitted in (now - window, now] count, n units fit
--         when the (count + n - capacity)-th has left. Times in the future (the clock stepped back) count
--         as now, and are rewritten so.
local MARK, HEADER, SLOT, TURN, SPAN = 193, 23, 6, 281474976710656, 35184372088832
local byte, char, rep = string.byte, string.char, string.rep

-- A time as 7 bytes; the last 6 are its slot.
local function stamp(time)
  local low = time % 16777216
  local high = (time - low) / 16777216
  return char(floor(high / 16777216), floor(high / 65536) % 256, floor(high / 256) % 256, high % 256,
    floor(low / 65536), floor(low / 256) % 256, low % 256)
end

-- The time of a slot's text, which is not after newest.
local function time_of_slot(text, from, newest)
  local a, b, c, d, e, f = byte(text, from, from + 5)
  if not f then return nil end
  local time = newest - newest % TURN + ((((a * 256 + b) * 256 + c) * 256 + d) * 256 + e) * 256 + f
  return time > newest and time - TURN or time
end

-- Slots first … first + n - 1 after the head, as text; where they go around the end, only those before it.
local function slots_from(s, first, n)
  local at = s.head + first
  if at >= s.slots then at = at - s.slots end
  local from = HEADER + SLOT * at
  return call('GETRANGE', s.key, format(INT, from), format(INT, from + SLOT * min(n, s.slots - at) - 1))
end

-- The time of the unit at a rank, oldest first; nil where it is not between two that are known.
local function time_at_rank(s, rank, low, high)
  local time = time_of_slot(slots_from(s, rank, 1), 1, s.newest)
  if time and time >= low and time <= high then return time end
end

-- The key holds nothing that can be used: counted as empty.
local function lose(s, p)
  s.broken, s.stale, s.count, s.gone, s.slots, s.room = true, false, 0, 0, 0, p.capacity
end

-- The first rank from low + 1 to high whose time is after edge; that of high is.
local function first_after(s, edge, low, low_time, high, high_time)
  while high - low > 1 do
    local middle = floor((low + high) / 2)
    local time = time_at_rank(s, middle, low_time, high_time)
    if not time then return nil end
    if time > edge then
      high, high_time = middle, time
    else
      low, low_time = middle, time
    end
  end
  return high, high_time
end

-- Finds the oldest unit that counts, s.first (s.oldest in its slot); s.gone are those before it, which do
-- not any more. Mostly it is among the few that follow, which cost one read.
local function pass_over(s, p, now)
  local edge, known, time = p.edge, 0, s.first
  if s.newest <= edge then
    s.gone = s.count
    return
  end
  local text = slots_from(s, 1, min(8, s.count - 1))
  for from = 1, #text, SLOT do
    local next = time_of_slot(text, from, s.newest)
    if not next or next < time then return lose(s, p) end
    known, time = known + 1, next
    if time > edge then
      s.gone, s.first, s.oldest = known, time, sub(text, from, from + 5)
      return
    end
  end
  s.gone, s.first = first_after(s, edge, known, time, s.count - 1, s.newest)
  if not s.gone then return lose(s, p) end
  s.oldest = sub(stamp(s.first), 2)
end

-- The header of a string of some length, or not.
local function parse_header(s, text, length)
  local mark, a, b, c, d, e, f, g, h, i = byte(text, 1, 10)
  if mark ~= MARK or length < HEADER then return false end
  s.slots, s.head, s.count = (a * 256 + b) * 256 + c, (d * 256 + e) * 256 + f, (g * 256 + h) * 256 + i
  local t, u, v, w, x, y, z = byte(text, 17, 23)
  s.newest = (((((t * 256 + u) * 256 + v) * 256 + w) * 256 + x) * 256 + y) * 256 + z
  s.oldest, s.first = sub(text, 11, 16), time_of_slot(text, 11, s.newest)
  return length == HEADER + SLOT * s.slots and s.head < s.slots and s.count <= s.slots and s.count > 0
    and s.newest <= BIGGEST and s.newest - s.first < SPAN and s.first >= 0
end

-- How many slots a string for n units gets. Redis keeps a string of n bytes in n + 10 at most, and jemalloc
-- has four sizes for each doubling, 16 bytes apart up to 128: a string that fills one leaves room for
-- up to a quarter more units, for nothing.
local function room_for(n)
  local size, step = max(64, HEADER + SLOT * n + 10), 16
  while size > 8 * step do step = 2 * step end
  return floor((ceil(size / step) * step - 10 - HEADER) / SLOT)
end

-- The header as s now is.
local function header(s, p)
  local a, b, c = s.slots % 256, s.head % 256, s.count % 256
  local slots, head, count = (s.slots - a) / 256, (s.head - b) / 256, (s.count - c) / 256
  return char(MARK, floor(slots / 256), slots % 256, a, floor(head / 256), head % 256, b,
    floor(count / 256), count % 256, c) .. s.oldest .. p.stamp
end

-- The text of the units that count, with those of the future as units of now.
local function kept(s, p, now)
  local alive, later = s.count - s.gone, 0
  if alive == 0 then return '' end
  if s.stale then
    local first = s.first > now and s.gone or first_after(s, now, s.gone, s.first, s.count - 1, s.newest)
    later = s.count - (first or s.gone)
  end
  local n = alive - later
  if n == 0 then return rep(p.slot, later) end
  local text = slots_from(s, s.gone, n)
  if #text < SLOT * n then text = text .. slots_from(s, s.gone + #text / SLOT, n - #text / SLOT) end
  return text .. rep(p.slot, later)
end

-- Writes the string anew, n units on, with room for more.
local function write_anew(s, p, key, n, now)
  local old = kept(s, p, now)
  if s.gone == s.count or s.first > now then s.first, s.oldest = now, p.slot end
  s.count, s.gone, s.head, s.newest = s.count - s.gone + n, 0, 0, now
  s.slots = room_for(s.count)
  call('SET', key, header(s, p) .. old .. rep(p.slot, n) .. rep('\0', SLOT * (s.slots - s.count)), 'PX', p.ttl)
end

-- Writes n units behind the newest, and the header.
local function write_in_place(s, p, key, n, now)
  local at = (s.head + s.count) % s.slots
  local before_end = min(n, s.slots - at)
  call('SETRANGE', key, format(INT, HEADER + SLOT * at), rep(p.slot, before_end))
  if n > before_end then call('SETRANGE', key, format(INT, HEADER), rep(p.slot, n - before_end)) end
  if s.gone == s.count then s.first, s.oldest = now, p.slot end
  s.head, s.count, s.gone, s.newest = (s.head + s.gone) % s.slots, s.count - s.gone + n, 0, now
  call('SETRANGE', key, '0', header(s, p))
  call('PEXPIRE', key, p.ttl)
end

algorithms.cl = {
  fields = 2,

  policy = function(now, ttl, capacity, window)
    local text = stamp(now)
    window = tonumber(window)
    return {
      ttl = ttl, capacity = tonumber(capacity), window = window, edge = now - window,
      stamp = text, slot = sub(text, 2),
    }
  end,

  read = function(s, p, key, now)
    local length = pcall('STRLEN', key)
    if type(length) == 'table' then length = typed(s, length) or 0 end
    s.count, s.gone, s.slots, s.room = 0, 0, 0, p.capacity
    if length == 0 then
      if s.broken or call('EXISTS', key) == 1 then lose(s, p) end
      return
    end
    if not parse_header(s, call('GETRANGE', key, '0', '22'), length) then return lose(s, p) end
    s.stale = s.newest > now
    if s.first <= p.edge then pass_over(s, p, now) end
    if not s.broken then s.room = max(0, p.capacity - s.count + s.gone) end
  end,

  check = function(s, p, n, now)
    local leaving, time = s.count - s.gone + n - p.capacity, s.first
    if leaving > 1 then time = time_at_rank(s, s.gone + leaving - 1, s.first, s.newest) end
    if not time then
      lose(s, p)
      return 0
    end
    return min(time, now) + p.window - now
  end,

  outlook = function(s, p, now)
    local leaving, oldest = s.count - s.gone + s.room + 1 - p.capacity, s.first
    if leaving > 1 then oldest = time_at_rank(s, s.gone + leaving - 1, s.first, s.newest) or s.newest end
    return min(oldest, now) + p.window - now, min(s.newest, now) + p.window - now
  end,

  spend = function(s, p, key, n, now)
    local units = s.count - s.gone + n
    if s.stale or units > s.slots or (3 * units < 2 * s.slots and room_for(units) < s.slots) then
      write_anew(s, p, key, n, now)
    else
      write_in_place(s, p, key, n, now)
    end
    s.room = max(0, p.capacity - s.count)
  end,

  -- Units of one instant are alike, so it is as if these had never come.
  refund = function(s, p, key, n, at, now)
    local slot, text, left = sub(stamp(at), 2), kept(s, p, now), {}
    for from = 1, #text, SLOT do
      local unit = sub(text, from, from + SLOT - 1)
      if n > 0 and unit == slot then n = n - 1 else left[#left + 1] = unit end
    end
    if not left[1] then return call('DEL', key) end
    s.count, s.head, s.oldest = #left, 0, left[1]
    s.slots = room_for(s.count)
    local newest = stamp(time_of_slot(left[#left], 1, s.newest))
    local body = table.concat(left) .. rep('\0', SLOT * (s.slots - s.count))
    call('SET', key, header(s, { stamp = newest }) .. body, 'PX', p.ttl)
  end,
}
