-- prelude.lua: what every algorithm uses. First part of each composed script.
--
-- An algorithm is a table algorithms.<tag> with
--   fields                       how many numbers it has in ARGV (see driver.lua)
--   policy(now, ttl, …)          what a call needs of a policy, from its expiry and those numbers, as text
--   read(s, p, key, now)         sets s.room: the units that fit now, 0 or more
--   check(s, p, n, now)          µs until n units fit, for n above s.room and up to p.capacity; -1 = never
--   outlook(s, p, now)           µs until one unit more than s.room fits, 0 = never, and until nothing spent counts
--   spend(s, p, key, n, now)     writes the state n units on, with its expiry
-- and it may have
--   refund(s, p, key, n, at, now)  takes back n units that were spent at the instant at, never more of
--                                  them than still count; without it they stay until they leave
-- s is the charge's scratch table, p the policy, now µs since the epoch.
--
-- read never writes. It may set
--   s.broken  the key holds something that is not this state: counted as empty
--   s.stale   the state comes from a clock that has since stepped back, or from
--             a policy of another shape: spend rewrites it, for 0 units if denied
-- Numbers are integers below 2^53: '..' and tostring would keep 14 digits of them.
local call, pcall, format = redis.call, redis.pcall, string.format
local match, sub, floor, ceil, min, max = string.match, string.sub, math.floor, math.ceil, math.min, math.max
local BIGGEST = 9007199254740991
local algorithms = {}

-- %d costs half of %.0f, and is exact where a C long has 64 bits.
local INT, PAIR, TRIPLE = '%d', '%d %d', '%d %d %d'
if format(INT, 4503599627370496) ~= '4503599627370496' then
  INT, PAIR, TRIPLE = '%.0f', '%.0f %.0f', '%.0f %.0f %.0f'
end

-- For a read that failed (its reply has a field err, which no string has): nil, and s.broken, where the
-- key holds another type.
local function typed(s, reply)
  if not reply.err:find('WRONGTYPE', 1, true) then error(reply) end
  s.broken = true
end

-- Digits as a number that a double holds exactly, or nil.
local function whole(digits)
  local n = tonumber(digits)
  if n and n >= 0 and n <= BIGGEST then return n end
end

-- Milliseconds for PX: rounded up, and a second more, for a replica whose clock is ahead.
local function expiry(us)
  return format(INT, ceil(us / 1000) + 1000)
end
