-- rate.lua: exact arithmetic of a rate, for the algorithms that have one.
--
-- One unit takes T = Window / Limit µs, seldom a whole number: T = whole + rest/den, where
-- 0 <= rest < den and Limit / Window is in lowest terms. Times are pairs too: µs, and a part in
-- den-ths of a µs. 7 per 60 s: T = 8571428 + 4/7, and 7 T is 60 s to the microsecond, for ever.
-- Validate holds capacity * den and capacity * T below 2^52, so every product here is exact.
local function rate_policy(_, _, capacity, whole, rest, den)
  capacity, whole, rest, den = tonumber(capacity), tonumber(whole), tonumber(rest), tonumber(den)
  return { capacity = capacity, whole = whole, rest = rest, den = den, unit = whole + rest / den }
end

-- n·T as µs and part.
local function span(p, n)
  if p.rest == 0 then return n * p.whole, 0 end
  local m = n * p.rest
  local part = m % p.den
  return n * p.whole + (m - part) / p.den, part
end

-- The most n <= limit with n·T <= us + part/den. The quotient is a guess that rounding may have
-- moved by one; the products decide.
local function units(p, us, part, limit)
  if p.den == 1 then return min(floor(us / p.whole), limit) end
  local n = min(floor((us + part / p.den) / p.unit), limit)
  local w, f = span(p, n)
  if w > us or (w == us and f > part) then return n - 1 end
  if n == limit then return n end
  w, f = span(p, n + 1)
  if w < us or (w == us and f <= part) then return n + 1 end
  return n
end
