-- prelude.lua: what every algorithm uses. First part of each composed script.
--
-- An algorithm is a table algorithms.<tag> with
--   fields                       names of its numbers in ARGV, in order (see driver.lua)
--   read(s, p, key, now)         sets s.room: the units that fit now, 0 or more
--   check(s, p, n, now)          µs until n units fit (n <= capacity); 0 = now
--   spend(s, p, key, n, now)     writes the state n units on, with its expiry
-- s is the charge's scratch table, p the policy, now µs since the epoch.
--
-- read never writes. It may set
--   s.broken  the key holds something that is not this state: counted as empty
--   s.stale   the state comes from a clock that has since stepped back, or from
--             a policy of another shape: spend rewrites it, for 0 units if denied
-- Numbers are integers below 2^53, written with %.0f: '..' and tostring keep 14 digits.
local call, pcall, format = redis.call, redis.pcall, string.format
local match, floor, ceil, min, max = string.match, math.floor, math.ceil, math.min, math.max
local BIGGEST = 9007199254740991
local algorithms = {}

-- The reply of a read; nil, and s.broken, where the key holds another type.
local function typed(s, reply)
  if type(reply) ~= 'table' or not reply.err then return reply end
  if not reply.err:find('WRONGTYPE', 1, true) then error(reply) end
  s.broken = true
end

-- A decimal number that a double holds exactly, or nil.
local function whole(text)
  local n = tonumber(text)
  if n and n >= 0 and n <= BIGGEST and n % 1 == 0 then return n end
end

-- Milliseconds for PX: rounded up, and a second more, for a replica whose clock is ahead.
local function expiry(us)
  return format('%.0f', ceil(us / 1000) + 1000)
end
