-- bucket.lua: units in a bucket that leave one by one, every T; shared by token_bucket and leaky_bucket.
--
-- Key     string "level since part": units in the bucket at the instant since + part/den µs, which is when
--         the last one left, so that level is whole; a part of 0 is left out
-- Expiry  when the bucket is empty, and a second: an empty bucket and no key mean the same
-- Cost    O(1): one GET, one SET when admitted
-- Idea    time carries the fraction and level stays whole, so nothing is ever rounded or lost.
--         Level 3 since 10 s with T = 1 s: at 11.5 s one has left, level 2 since 11 s, 0.5 s to the next.
--         A level above a lowered capacity counts as full; an instant in the future counts as now.

-- The level at now, as of when, from one that was since + part/den.
local function drain(s, p, level, since, part, now)
  if since > now or (since == now and part > 0) then
    s.stale, since, part = true, now, 0
  end
  level = min(level, p.capacity)
  if p.den == 1 then
    local left = floor((now - since) / p.whole)
    if left >= level then return 0, now, 0 end
    return level - left, since + left * p.whole, 0
  end
  part = min(part, p.den - 1)
  local us, rest = now - since, -part
  if part > 0 then us, rest = us - 1, p.den - part end
  local left = units(p, us, rest, level)
  if left == level then return 0, now, 0 end
  local w, f = span(p, left)
  w, f = since + w, part + f
  if f >= p.den then w, f = w + 1, f - p.den end
  return level - left, w, f
end

-- A level since an instant that a part below 0, or one after now, is brought into form.
local function later(p, level, since, part, now)
  if part < 0 then since, part = since - 1, part + p.den end
  if since < now or (since == now and part == 0) then return level, since, part end
  local w, f = span(p, 1)
  since, part = since - w, part - f
  if part < 0 then since, part = since - 1, part + p.den end
  return level + 1, since, part
end

local bucket = { fields = 4, policy = rate_policy }

function bucket.read(s, p, key, now)
  local text = pcall('GET', key)
  if text and text.err then text = typed(s, text) end
  s.level, s.since, s.part = 0, now, 0
  if text then
    local level, since, part = match(text, '^(%d+) (%d+) ?(%d*)$')
    level, since, part = whole(level), whole(since), part == '' and 0 or whole(part)
    if level and since and part then
      s.level, s.since, s.part = drain(s, p, level, since, part, now)
    else
      s.broken = true
    end
  end
  s.room = p.capacity - s.level
end

-- µs until n units have left.
local function until_left(s, p, n, now)
  local w, f = span(p, n)
  return s.since + w - now + ceil((s.part + f) / p.den)
end

function bucket.check(s, p, n, now)
  return until_left(s, p, n - s.room, now)
end

function bucket.outlook(s, p, now)
  return until_left(s, p, 1, now), until_left(s, p, s.level, now)
end

-- The bucket without these n units may have stood empty since at, and leaked nothing while they did: what
-- is in it is then n less the time since at, at most, below what is in this one. So that much is given back
-- and no more: n·T - (now - at), as time.
function bucket.refund(s, p, key, n, at, now)
  local left = units(p, now - at, 0, n)
  if left == n or s.level == 0 then return end
  local w, f = span(p, left)
  s.level, s.since, s.part = later(p, s.level - n + left, s.since + now - at - w, s.part - f, now)
  if s.level <= 0 then return call('DEL', key) end
  bucket.spend(s, p, key, 0, now)
end

function bucket.spend(s, p, key, n, now)
  s.level, s.room = s.level + n, s.room - n
  local text = s.part == 0 and format(PAIR, s.level, s.since) or format(TRIPLE, s.level, s.since, s.part)
  call('SET', key, text, 'PX', expiry(until_left(s, p, s.level, now)))
end
