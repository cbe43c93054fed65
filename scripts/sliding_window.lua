-- sliding_window.lua: units counted by sub-window; the window is whole sub-windows and a part of the oldest.
--
-- Key     HASH, a field for each sub-window (see sub_windows.lua), and 'm' = "width window first last
--         total recent": the shape it was written with, the oldest and newest sub-window that hold
--         units, the sum of all, and the newest one's count
-- Fields  capacity, window (µs), width of a sub-window (µs), weighted 0|1, by_field 0|1
-- Expiry  window and a sub-window and a second; with by_field each field too, by HPEXPIREAT
-- Cost    O(1) while no sub-window leaves; O(sub-windows) when one has, or when cost > 1 is denied
-- Idea    conservative: the oldest sub-window counts whole as long as the window touches it, so no window
--         ever holds more than capacity. Weighted: it counts by the part that is still covered, rounded up.
--         'm' is right until first leaves; then the fields are read again, those that are left.

local function parse(s, p, key, m, now)
  local width, window, first, last, total, recent = match(m, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$')
  width, window, first, last = whole(width), whole(window), whole(first), whole(last)
  s.first, s.last, s.total, s.recent = first, last, whole(total), whole(recent)
  if not (width and window and first and last and s.total and s.recent) or width == 0 then
    s.broken = true
  elseif width ~= p.width or window ~= p.window then
    s.stale = true
    read_fields(s, p, key, { width = width, window = window }, now)
  elseif last + width + window <= now then
    s.total, s.dead = 0, true
  elseif last > now or first + width + window <= now then
    s.stale = last > now
    read_fields(s, p, key, p, now)
  end
end

-- Units in the oldest sub-window that holds any.
local function first_units(s)
  if s.list then return s.list[1][2] end
  if s.first == s.last then return s.recent end
  return whole(call('HGET', s.key, format('%.0f', s.first))) or 0
end

-- Units that count against capacity now.
local function used(s, p, now)
  local current = now - now % p.width
  if p.weighted == 0 or s.total == 0 or s.first > current - p.window then return s.total end
  local oldest = first_units(s)
  return s.total - oldest + ceil(oldest * (p.width - (now - current)) / p.width)
end

-- The instant when a sub-window has left far enough for n units, after being what follows it; or nil.
local function fits_at(p, start, units, after, n)
  local spare = p.capacity - n - after
  if spare < 0 then return nil end
  local part = p.weighted == 1 and floor(spare * p.width / units) or 0
  return start + p.window + p.width - part
end

local function fits_later(s, p, n, now)
  if not s.list then read_fields(s, p, s.key, p, now) end
  local after = s.total
  for i = 1, #s.list do
    after = after - s.list[i][2]
    local at = fits_at(p, s.list[i][1], s.list[i][2], after, n)
    if at then return at - now end
  end
  return 0
end

-- Adds n units to the sub-window of now, in s only.
local function count_in(s, current, n)
  local new = s.total == 0 or s.last ~= current
  s.recent = new and n or s.recent + n
  if s.total == 0 then s.first = current end
  s.last, s.total = current, s.total + n
  if s.list and new then s.list[#s.list + 1] = { current, n } end
  if s.list and not new then s.list[#s.list][2] = s.recent end
  return new
end

algorithms.sw = {
  fields = { 'capacity', 'window', 'width', 'weighted', 'by_field' },

  prepare = function(p)
    p.shape = format('%.0f %.0f', p.width, p.window)
  end,

  read = function(s, p, key, now)
    s.total, s.list, s.gone, s.dead = 0, nil, nil, false
    local m = typed(s, pcall('HGET', key, 'm'))
    if m then
      parse(s, p, key, m, now)
    elseif not s.broken then
      s.broken = call('EXISTS', key) == 1
    end
    if s.broken then s.total, s.list, s.stale = 0, nil, false end
    s.room = max(0, p.capacity - used(s, p, now))
  end,

  check = function(s, p, n, now)
    if n <= s.room then return 0 end
    local leaves = p.window + p.width - now
    if n == p.capacity then return s.last + leaves end
    if p.weighted == 0 and s.total + n - p.capacity == 1 then return s.first + leaves end
    local units = first_units(s)
    local at = fits_at(p, s.first, units, s.total - units, n)
    if at then return at - now end
    return fits_later(s, p, n, now)
  end,

  spend = function(s, p, key, n, now)
    local current = now - now % p.width
    local new = n > 0 and count_in(s, current, n)
    if s.dead then call('DEL', key) end
    if s.stale then rewrite(s, p, key) end
    if s.gone and #s.gone > 0 and not s.stale then call('HDEL', key, unpack(s.gone)) end
    if s.total == 0 then return end
    local m = format('%s %.0f %.0f %.0f %.0f', p.shape, s.first, s.last, s.total, s.recent)
    call('HSET', key, format('%.0f', s.last), format('%.0f', s.recent), 'm', m)
    call('PEXPIRE', key, p.ttl)
    if new then expire_field(p, key, current) end
    s.room = max(0, p.capacity - used(s, p, now))
  end,
}
