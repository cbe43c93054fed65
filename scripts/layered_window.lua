-- layered_window.lua: units counted by coarse and by fine parts of the window, each layer with a limit of its own.
--
-- Key     HASH of running totals, field c for the coarse parts and one for the fine parts of each of them
--         (see layers.lua). Field m = "width fine coarse first ahead before_first before_coarse before_last
--         admitted": the shape; the oldest fine part that counts, and how far ahead of it the newest is; how
--         many units were admitted before those two and before the newest's coarse part, and how many in all
-- Fields  capacity, width of a fine part (µs), fine parts of each coarse one, coarse parts of the window,
--         limit of a coarse part, limit of a fine part (capacity where there is none); expiry from Go
-- Expiry  window and a fine part and a second
-- Cost    O(1) while a fine part lasts: HGET, HSET, PEXPIRE. O(fine) when the next begins or the oldest
--         leaves, O(coarse) when a coarse one begins; a denial reads O(coarse + fine). Never more, but where
--         the shape changes or the clock steps back: all of the hash
-- Idea    the oldest fine part counts whole as long as the window touches it, so no window ever holds more
--         than capacity. The layers' own limits hold in the parts, aligned to the epoch, that contain now.
local STATE = '^(%d+ %d+ %d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$'
local STATE_HEAD = '%s ' .. PAIR .. ' ' .. TRIPLE .. ' '

-- The instant from which fine part j does not count.
local function leaves_at(p, j)
  return (j + 1) * p.width + p.window
end

-- The units that fit now, and in s what each layer's own limit leaves.
local function spare(s, p)
  local coarse, fine = p.coarse_limit, p.fine_limit
  if s.live > 0 and s.last >= p.coarse_start then
    coarse = coarse - s.admitted + s.before_coarse
    if s.last == p.current then fine = fine - s.admitted + s.before_last end
  end
  s.coarse_room, s.fine_room = coarse, fine
  return max(0, min(p.capacity - s.live, coarse, fine))
end

-- Takes first, last and the units before them from s.list.
local function find_ends(s, p)
  local list = s.list
  local newest = list[#list]
  s.first, s.last, s.before_first, s.before_last = list[1][1], newest[1], 0, newest[2]
  local at = #list
  while at > 1 and list[at - 1][1] >= s.last - s.last % p.fine do at = at - 1 end
  s.before_coarse = list[at][2]
end

-- Brings a hash of another shape, or of a clock since stepped back, to this one, in s only.
local function bring(s, p, key, width, fine, coarse, now)
  local parts = every_part(call('HGETALL', key), fine, s.admitted)
  if not parts then
    s.broken = true
    return
  end
  local old = { width = width, window = width * fine * coarse, first = s.first, admitted = s.admitted }
  s.stale = true
  s.list, s.admitted = regroup(parts, old, p, now)
  s.live = s.admitted
  if s.live > 0 then find_ends(s, p) end
end

-- Finds what of a hash of p's own shape counts now.
local function keep_up(s, p, key, now)
  local oldest = p.current - p.parts
  if s.last > p.current then return bring(s, p, key, p.width, p.fine, p.coarse, now) end
  if s.last < oldest then
    s.all_left = true
    return
  end
  if s.first < oldest then
    local first, before = seek(key, p.fine, oldest)
    if not first or first > s.last or before > s.before_last then
      s.broken = true
      return
    end
    s.first, s.before_first, s.head = first, before, nil
  end
  s.live = s.admitted - s.before_first
end

local function accept(s, p, key, m, now)
  local shape, first, ahead, before_first, before_coarse, before_last, admitted = match(m, STATE)
  if not shape then s.broken = true return end
  s.head = sub(m, 1, -1 - #admitted)
  s.first, s.last, s.admitted = tonumber(first), first + ahead, tonumber(admitted)
  s.before_first, s.before_coarse, s.before_last = tonumber(before_first), tonumber(before_coarse), tonumber(before_last)
  if s.last > BIGGEST or s.admitted > BIGGEST or s.before_last >= s.admitted
      or s.before_coarse > s.before_last or s.before_first > s.before_last then
    s.broken = true
  elseif shape == p.shape then
    if s.last - s.first > p.parts then s.broken = true else keep_up(s, p, key, now) end
  else
    local width, fine, coarse = match(shape, '(%d+) (%d+) (%d+)')
    width, fine, coarse = tonumber(width), tonumber(fine), tonumber(coarse)
    local window = width * fine * coarse
    if window == 0 or window > BIGGEST then s.broken = true else bring(s, p, key, width, fine, coarse, now) end
  end
end

-- The fine part that holds a unit which counts.
local function part_of(s, p, unit)
  if unit > s.before_last then return s.last end
  if unit == s.before_first + 1 then return s.first end
  if not s.list then return max(s.first, min(holder(s.key, p.fine, unit) or s.last, s.last)) end
  local found = s.first
  for _, entry in ipairs(s.list) do
    if entry[2] < unit then found = entry[1] end
  end
  return found
end

-- Writes m, and for a new fine or coarse part the field it is listed in.
local function put(s, p, key, field, value, coarse)
  s.head = s.head or format(STATE_HEAD, p.shape, s.first, s.last - s.first, s.before_first, s.before_coarse, s.before_last)
  local m = s.head .. format(INT, s.admitted)
  if coarse then
    call('HSET', key, 'm', m, field, value, 'c', coarse)
  elseif field then
    call('HSET', key, 'm', m, field, value)
  else
    call('HSET', key, 'm', m)
  end
  call('PEXPIRE', key, p.ttl)
end

-- Writes all that counts, and n units now, to a hash begun anew.
local function put_all(s, p, key, n)
  if s.stale or s.all_left then call('DEL', key) end
  local list = s.list or {}
  if s.live == 0 then s.admitted = 0 end
  if n > 0 and (not list[1] or list[#list][1] ~= p.current) then list[#list + 1] = { p.current, s.admitted } end
  s.live, s.admitted, s.list, s.head = s.live + n, s.admitted + n, list, nil
  if list[1] then
    find_ends(s, p)
    write_parts(key, p.fine, list)
    put(s, p, key)
  end
end

-- Counts n units in a fine part that no unit was in yet.
local function put_new(s, p, key, n)
  local i = p.coarse_start / p.fine
  local field, offset, coarse = format(INT, i), p.current - p.coarse_start, nil
  local row = ''
  if s.last >= p.coarse_start then
    row = fine_list(key, i)
  else
    local less
    coarse, less = begin_coarse(key, floor(s.first / p.fine), i, s.admitted, p.coarse)
    s.before_first, s.admitted = s.before_first - less, s.admitted - less
    s.before_coarse = s.admitted
  end
  row = row .. format(ENTRY, offset, s.admitted - s.before_coarse)
  s.before_last, s.last, s.head = s.admitted, p.current, nil
  s.live, s.admitted = s.live + n, s.admitted + n
  put(s, p, key, field, row, coarse)
end

algorithms.lw = {
  fields = 6,

  policy = function(now, ttl, capacity, width, fine, coarse, coarse_limit, fine_limit)
    width, fine, coarse = tonumber(width), tonumber(fine), tonumber(coarse)
    local current, parts = floor(now / width), fine * coarse
    coarse_limit, fine_limit = tonumber(coarse_limit), tonumber(fine_limit)
    return {
      ttl = ttl, capacity = tonumber(capacity), width = width, window = width * parts, fine = fine, coarse = coarse,
      parts = parts, current = current, coarse_start = current - current % fine, coarse_limit = coarse_limit,
      fine_limit = fine_limit, most = min(coarse_limit, fine_limit), shape = format(TRIPLE, width, fine, coarse),
    }
  end,

  read = function(s, p, key, now)
    s.live, s.list, s.all_left = 0, nil, false
    local m = pcall('HGET', key, 'm')
    if m and m.err then m = typed(s, m) end
    if m then
      accept(s, p, key, m, now)
    elseif not s.broken then
      s.broken = call('EXISTS', key) == 1
    end
    if s.broken then s.live, s.stale, s.all_left = 0, false, false end
    s.room = spare(s, p)
  end,

  check = function(s, p, n, now)
    if n > p.most then return -1 end
    local at = now
    if n > s.coarse_room then
      at = (p.coarse_start + p.fine) * p.width
    elseif n > s.fine_room then
      at = (p.current + 1) * p.width
    end
    if n > p.capacity - s.live then at = max(at, leaves_at(p, part_of(s, p, s.admitted + n - p.capacity))) end
    return at - now
  end,

  outlook = function(s, p, now)
    if s.live == 0 then return 0, 0 end
    local reset = leaves_at(p, s.last) - now
    if s.room == p.most then return 0, reset end
    return algorithms.lw.check(s, p, s.room + 1, now), reset
  end,

  spend = function(s, p, key, n, now)
    if s.live == 0 or s.stale then
      put_all(s, p, key, n)
    elseif s.last == p.current then
      s.live, s.admitted = s.live + n, s.admitted + n
      put(s, p, key)
    else
      put_new(s, p, key, n)
    end
    s.stale, s.list, s.all_left = false, nil, false
    s.room = spare(s, p)
  end,

  -- The units of one fine part are alike, so it is as if these had never come. All later numbers change,
  -- so the hash is written anew.
  refund = function(s, p, key, n, at, now)
    local j = floor(at / p.width)
    if s.live == 0 or j < s.first then return end
    bring(s, p, key, p.width, p.fine, p.coarse, now)
    if not s.broken and take_out(s, j, n) then put_all(s, p, key, 0) end
  end,
}
