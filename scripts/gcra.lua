-- gcra.lua: units due one every T, let in early by as much as capacity allows (Generic Cell Rate Algorithm).
--
-- Key     string "tat part window den": theoretical arrival time in µs + part/den, and the rate in lowest
--         terms (den units per window µs) that it was counted with
-- Fields  capacity, whole, rest, den (see rate.lua)
-- Expiry  at the arrival time, and a second: a key that owes nothing and no key mean the same
-- Cost    O(1): one GET, one SET when admitted
-- Idea    debt = tat - now is what the key owes in time; a unit adds T, and debt <= capacity·T admits.
--         T = 1 s, capacity 5, debt 3.5 s: one more fits (4.5 s), two do not until 0.5 s have passed.
--         Under another rate the debt is taken in units, ceil(debt / old T), and charged at the new T.

-- The debt in the policy's own T where another one counted it.
local function convert(p, us, part, window, den)
  local old = { whole = floor(window / den), rest = window % den, den = den, unit = window / den }
  local n = units(old, us, part, p.capacity)
  local w, f = span(old, n)
  if w < us or (w == us and f < part) then n = n + 1 end
  return span(p, min(n, p.capacity))
end

local function parse_tat(s, p, text, now)
  local tat, part, window, den = match(text, '^(%d+) (%d+) (%d+) (%d+)$')
  tat, part, window, den = whole(tat), whole(part), whole(window), whole(den)
  if not (tat and part and window and den) or window == 0 or den == 0 then
    s.broken = true
  elseif tat >= now then
    part = min(part, den - 1)
    if window == p.window and den == p.den then return tat - now, part end
    s.stale = true
    return convert(p, tat - now, part, window, den)
  end
  return 0, 0
end

algorithms.gc = {
  fields = rate_fields,

  prepare = function(p)
    prepare_rate(p)
    p.window = p.whole * p.den + p.rest
    p.full, p.full_part = span(p, p.capacity)
    p.mark = format('%.0f %.0f', p.window, p.den)
  end,

  read = function(s, p, key, now)
    local us, part = 0, 0
    local text = typed(s, pcall('GET', key))
    if text then us, part = parse_tat(s, p, text, now) end
    if us > p.full or (us == p.full and part > p.full_part) then
      us, part, s.stale = p.full, p.full_part, true
    end
    s.us, s.part = us, part
    local used = units(p, us, part, p.capacity)
    local w, f = span(p, used)
    if w < us or f < part then used = used + 1 end
    s.room = p.capacity - used
  end,

  check = function(s, p, n, now)
    local w, f = span(p, p.capacity - n)
    return max(0, round_up(p, s.us - w, s.part - f))
  end,

  spend = function(s, p, key, n, now)
    local w, f = span(p, n)
    s.us, s.part, s.room = s.us + w, s.part + f, s.room - n
    if s.part >= p.den then s.us, s.part = s.us + 1, s.part - p.den end
    call('SET', key, format('%.0f %.0f %s', now + s.us, s.part, p.mark), 'PX', expiry(s.us + 1))
  end,
}
