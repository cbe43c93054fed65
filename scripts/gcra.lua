-- gcra.lua: units due one every T, let in early by as much as capacity allows (Generic Cell Rate Algorithm).
--
-- Key     string "tat window den part": theoretical arrival time in µs + part/den, and the rate in lowest
--         terms (den units per window µs) that it was counted with; a part of 0 is left out
-- Fields  capacity, whole, rest, den (see rate.lua)
-- Expiry  at the arrival time, and a second: a key that owes nothing and no key mean the same
-- Cost    O(1): one GET, one SET when admitted
-- Idea    debt = tat - now is what the key owes in time; a unit adds T, and debt <= capacity·T admits.
--         T = 1 s, capacity 5, debt 3.5 s: one more fits (4.5 s), two do not until 0.5 s have passed.
--         Under another rate the debt is taken in units, ceil(debt / old T), and charged at the new T.
local TAT, TAT_PART = INT .. '%s', INT .. '%s ' .. INT

-- How many units' time has begun in us + part/den, at most limit.
local function begun(p, us, part, limit)
  if p.den == 1 then return min(ceil(us / p.whole), limit) end
  local n = units(p, us, part, limit)
  local w, f = span(p, n)
  if n < limit and (w < us or f < part) then return n + 1 end
  return n
end

-- The debt that a state means under p, whichever rate counted it.
local function parse_debt(s, p, text, now)
  local tat, window, den, part = match(text, '^(%d+) (%d+) (%d+) ?(%d*)$')
  tat, window, den, part = whole(tat), whole(window), whole(den), part == '' and 0 or whole(part)
  if not (tat and part and window and den) or window == 0 or den == 0 then
    s.broken = true
  elseif tat >= now then
    part = min(part, den - 1)
    if window == p.window and den == p.den then return tat - now, part end
    local old = { whole = floor(window / den), rest = window % den, den = den, unit = window / den }
    s.stale = true
    return span(p, begun(old, tat - now, part, p.capacity))
  end
  return 0, 0
end

algorithms.gc = {
  fields = 4,

  policy = function(...)
    local p = rate_policy(...)
    p.full, p.full_part = span(p, p.capacity)
    p.window = p.whole * p.den + p.rest
    p.mark = ' ' .. format(PAIR, p.window, p.den)
    return p
  end,

  read = function(s, p, key, now)
    local text, us, part = pcall('GET', key), 0, 0
    if text and text.err then text = typed(s, text) end
    if text then
      local tat = sub(text, 17) == p.mark and whole(sub(text, 1, 16))
      if tat then us = max(0, tat - now) else us, part = parse_debt(s, p, text, now) end
    end
    if us > p.full or (us == p.full and part > p.full_part) then
      us, part, s.stale = p.full, p.full_part, true
    end
    s.us, s.part, s.room = us, part, p.capacity - begun(p, us, part, p.capacity)
  end,

  check = function(s, p, n)
    local w, f = span(p, p.capacity - n)
    return s.us - w + ceil((s.part - f) / p.den)
  end,

  outlook = function(s, p)
    local w, f = span(p, p.capacity - s.room - 1)
    return s.us - w + ceil((s.part - f) / p.den), s.us + ceil(s.part / p.den)
  end,

  spend = function(s, p, key, n, now)
    local w, f = span(p, n)
    local us, part = s.us + w, s.part + f
    if part >= p.den then us, part = us + 1, part - p.den end
    s.us, s.part, s.room = us, part, s.room - n
    local text = part == 0 and format(TAT, now + us, p.mark) or format(TAT_PART, now + us, p.mark, part)
    call('SET', key, text, 'PX', expiry(us + 1))
  end,

  -- A key without these n units may have owed nothing since at, and its debt not have shrunk while this one
  -- did: it is then less than this one by n·T - (now - at) at least. So much is given back and no more.
  refund = function(s, p, key, n, at, now)
    local w, f = span(p, n)
    w = w - (now - at)
    if w < 0 or w + f == 0 then return end
    local us, part = s.us - w, s.part - f
    if part < 0 then us, part = us - 1, part + p.den end
    if us < 0 or (us == 0 and part == 0) then return call('DEL', key) end
    s.us, s.part = us, part
    algorithms.gc.spend(s, p, key, 0, now)
  end,
}
