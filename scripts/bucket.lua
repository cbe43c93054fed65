-- bucket.lua: units in a bucket that leave one by one, every T; shared by token_bucket and leaky_bucket.
--
-- Key     string "level since part": units in the bucket at the instant since + part/den µs, which is when
--         the last one left, so that level is whole
-- Expiry  when the bucket is empty, and a second: an empty bucket and no key mean the same
-- Cost    O(1): one GET, one SET when admitted
-- Idea    time carries the fraction and level stays whole, so nothing is ever rounded or lost.
--         Level 3 since 10 s with T = 1 s: at 11.5 s one has left, level 2 since 11 s, 0.5 s to the next.
--         A level above a lowered capacity counts as full; an instant in the future counts as now.

-- Moves the level on to now.
local function drain(s, p, level, since, part, now)
  s.stale = since > now or (since == now and part > 0)
  if s.stale then since, part = now, 0 end
  part, level = min(part, p.den - 1), min(level, p.capacity)
  local us, rest = now - since, -part
  if part > 0 then us, rest = us - 1, p.den - part end
  local left = units(p, us, rest, level)
  if left == level then return 0, now, 0 end
  local w, f = span(p, left)
  w, f = since + w, part + f
  if f >= p.den then w, f = w + 1, f - p.den end
  return level - left, w, f
end

local bucket = { fields = rate_fields, prepare = prepare_rate }

function bucket.read(s, p, key, now)
  local level, since, part = 0, now, 0
  local text = typed(s, pcall('GET', key))
  if text then
    local l, a, f = match(text, '^(%d+) (%d+) (%d+)$')
    l, a, f = whole(l), whole(a), whole(f)
    if l and a and f then
      level, since, part = drain(s, p, l, a, f, now)
    else
      s.broken = true
    end
  end
  s.level, s.since, s.part, s.room = level, since, part, p.capacity - level
end

function bucket.check(s, p, n, now)
  if n <= s.room then return 0 end
  local w, f = span(p, n - s.room)
  return round_up(p, s.since + w - now, s.part + f)
end

function bucket.spend(s, p, key, n, now)
  s.level, s.room = s.level + n, s.room - n
  local text = format('%.0f %.0f %.0f', s.level, s.since, s.part)
  call('SET', key, text, 'PX', expiry(bucket.check(s, p, p.capacity, now)))
end
