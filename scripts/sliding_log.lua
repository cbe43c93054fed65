-- sliding_log.lua: at most capacity units in any window of time, to the microsecond.
--
-- Key     ZSET, a member for each unit: score = minus the µs it was admitted, so the newest comes first and
--         is quickest to add; the name begins with those µs (16 digits) and is unique in the key
-- Fields  capacity, window (µs); the expiry is window and a second, from Go
-- Expiry  the newest unit's end and a second
-- Cost    O(log capacity); cost n adds n members. Denied calls add none, so there are never more than
--         capacity (unless the limit was lowered)
-- Idea    units admitted in (now - window, now] count. The m-th oldest of them leaves at its time
--         + window, so n units fit when the (count + n - capacity)-th has left.
--         Times in the future (the clock stepped back) count as now, and are rewritten so.
local MINUS, NAME = '-' .. INT, '%s-' .. INT

-- The µs at which a member was admitted, from its name: a server takes long to print scores.
local function time_of(member)
  return member and whole(sub(member, 1, 16))
end

-- The time of the member at a rank, newest first.
local function time_at(s, rank)
  rank = format(INT, rank)
  return time_of(call('ZRANGE', s.key, rank, rank)[1]) or 0
end

-- Adds n members of now. A name is the time, or the time and a number where that name is taken
-- already: the same µs again, or once more after the clock stepped back.
local function add(p, key, n)
  if n == 1 and call('ZADD', key, 'NX', p.score, p.time) == 1 then return end
  local name, suffix = p.time, 0
  while n > 0 do
    local args, some = { 'NX' }, min(n, 500)
    for i = 1, some do
      args[2 * i], args[2 * i + 1] = p.score, name
      suffix = suffix + 1
      name = format(NAME, p.time, suffix)
    end
    local added = call('ZADD', key, unpack(args))
    n = n - added
    if added == 0 then
      suffix = max(suffix, call('ZCARD', key))
      name = format(NAME, p.time, suffix)
    end
  end
end

-- Members of the future become members of now.
local function pull_back(p, key)
  add(p, key, call('ZREMRANGEBYSCORE', key, '-inf', p.future))
end

-- Finds the oldest unit that counts; s.gone are those before it, which do not any more.
local function find_oldest(s, p, key, now)
  local edge, last = now - p.window, call('ZRANGE', key, '-2', '-1')
  local oldest = time_of(last[2] or last[1])
  if not oldest then
    s.broken = true
    return
  end
  s.oldest = oldest
  if oldest > edge then return end
  local second = last[2] and time_of(last[1])
  if second and second > edge then
    s.gone, s.oldest = 1, second
    return
  end
  s.gone = call('ZCOUNT', key, format(MINUS, edge), '+inf')
  s.oldest = s.gone < s.card and time_at(s, s.card - s.gone - 1) or now
end

algorithms.sl = {
  fields = 2,

  policy = function(now, ttl, capacity, window)
    local time = format(INT, now)
    return {
      ttl = ttl, capacity = tonumber(capacity), window = tonumber(window),
      time = time, score = '-' .. time, future = '(-' .. time,
    }
  end,

  read = function(s, p, key, now)
    local card = pcall('ZCARD', key)
    if type(card) == 'table' then card = typed(s, card) or 0 end
    s.card, s.gone, s.oldest, s.newest = card, 0, now, nil
    if card > 0 then
      find_oldest(s, p, key, now)
      if s.broken then s.card, s.gone = 0, 0 end
      s.stale = not s.broken and call('ZCOUNT', key, '-inf', p.future) > 0
    end
    s.room = max(0, p.capacity - s.card + s.gone)
  end,

  check = function(s, p, n, now)
    local leaving, time = s.card - s.gone + n - p.capacity, s.oldest
    if leaving > 1 then time = time_at(s, s.card - s.gone - leaving) end
    return min(time, now) + p.window - now
  end,

  outlook = function(s, p, now)
    local leaving, oldest = s.card - s.gone + s.room + 1 - p.capacity, s.oldest
    if leaving > 1 then oldest = time_at(s, s.card - s.gone - leaving) end
    return min(oldest, now) + p.window - now, min(s.newest or time_at(s, 0), now) + p.window - now
  end,

  spend = function(s, p, key, n, now)
    if s.gone > 0 then call('ZREMRANGEBYRANK', key, format(MINUS, s.gone), '-1') end
    if s.stale then pull_back(p, key) end
    add(p, key, n)
    call('PEXPIRE', key, p.ttl)
    s.card, s.gone, s.newest = s.card - s.gone + n, 0, now
    s.oldest, s.room = min(s.oldest, now), max(0, p.capacity - s.card)
  end,

  -- The units of one µs are alike, so it is as if these had never come.
  refund = function(_, _, key, n, at)
    local score = format(MINUS, at)
    while n > 0 do
      local some = min(n, 500)
      local names = call('ZRANGEBYSCORE', key, score, score, 'LIMIT', '0', format(INT, some))
      if not names[1] then return end
      call('ZREM', key, unpack(names))
      n = n - some
    end
  end,
}
