-- sliding_log.lua: at most capacity units in any window of time, to the microsecond.
--
-- Key     ZSET, a member for each unit: score = the µs it was admitted; the name only has to be unique
-- Fields  capacity, window (µs); the expiry is window and a second, from Go
-- Expiry  the newest unit's end and a second
-- Cost    O(log capacity); cost n adds n members. Denied calls add none, so there are never more than
--         capacity (unless the limit was lowered)
-- Idea    units with a score in (now - window, now] count. The m-th oldest of them leaves at its score
--         + window, so n units fit when the (count + n - capacity)-th has left.
--         Scores in the future (the clock stepped back) count as now, and are rewritten so.

-- Score of the member at a rank, oldest first.
local function score_at(key, rank)
  return tonumber(call('ZRANGE', key, rank, rank, 'WITHSCORES')[2])
end

-- Adds n members scored now. A name is the time, or the time and a number where that name is taken
-- already: the same µs again, or once more after the clock stepped back.
local function add(key, now, n)
  local score, suffix = format('%.0f', now), 0
  local name = score
  while n > 0 do
    local args, some = { 'NX' }, min(n, 500)
    for i = 1, some do
      args[2 * i], args[2 * i + 1] = score, name
      suffix = suffix + 1
      name = format('%s-%.0f', score, suffix)
    end
    local added = call('ZADD', key, unpack(args))
    n = n - added
    if added == 0 then
      suffix = max(suffix, call('ZCARD', key))
      name = format('%s-%.0f', score, suffix)
    end
  end
end

-- Scores after now become now.
local function pull_back(key, now)
  local late = call('ZRANGEBYSCORE', key, format('(%.0f', now), '+inf')
  for i = 1, #late do call('ZADD', key, 'XX', format('%.0f', now), late[i]) end
end

algorithms.sl = {
  fields = { 'capacity', 'window' },

  read = function(s, p, key, now)
    s.card, s.gone, s.oldest, s.newest = typed(s, pcall('ZCARD', key)) or 0, 0, now, now
    if s.card > 0 then
      local edge = now - p.window
      s.oldest, s.newest = score_at(key, 0), score_at(key, -1)
      if not (whole(s.oldest) and whole(s.newest)) then
        s.broken, s.card = true, 0
      elseif s.oldest <= edge then
        s.gone = call('ZCOUNT', key, '-inf', format('%.0f', edge))
      end
      s.stale = s.newest > now
    end
    s.room = max(0, p.capacity - (s.card - s.gone))
  end,

  check = function(s, p, n, now)
    local rank = s.card + n - p.capacity - 1
    if rank < s.gone then return 0 end
    local score = s.newest
    if rank == 0 then
      score = s.oldest
    elseif rank < s.card - 1 then
      score = score_at(s.key, rank)
    end
    return min(score, now) + p.window - now
  end,

  spend = function(s, p, key, n, now)
    if s.gone > 0 then call('ZREMRANGEBYRANK', key, 0, s.gone - 1) end
    if s.stale then pull_back(key, now) end
    if n > 0 then add(key, now, n) end
    call('PEXPIRE', key, p.ttl)
    s.oldest = s.gone == 0 and s.card > 0 and min(s.oldest, now) or score_at(key, 0)
    s.card, s.gone, s.newest = s.card - s.gone + n, 0, now
    s.room = max(0, p.capacity - s.card)
  end,
}
