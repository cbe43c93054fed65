-- adaptive_window.lua: a sliding window whose sub-windows narrow under load and widen when it is quiet.
--
-- Key     string of records (see packed.lua), shape "parts ": how many sub-windows the window has at present;
--         a record's time is that of its last unit, in µs: its own end
-- Fields  capacity, window (µs), fewest parts, most parts, high, low; expiry from Go
-- Expiry  window and a second
-- Cost    one GET, one SET of 8 to 13 bytes for each sub-window that holds units, as sliding_window
-- Idea    units join the newest record while they fall into the same sub-window, and leave together one
--         window after its last. So no window ever holds more than capacity, and a change of width moves
--         no unit. More than high units in the newest sub-window, or in the one just before: half the
--         width from here on. Fewer than low, counting 0 where one was skipped, when the next one begins:
--         twice the width.
local SHAPE = INT .. ' '
local adaptive = { fields = 6, check = packed.check, outlook = packed.outlook }

-- Chooses the width for a unit of now; true if the newest record is then still open for it.
local function adapt(s, p, now)
  if s.live == 0 then
    s.parts = max(ceil(s.parts / 2), p.fewest)
    return false
  end
  local width = ceil(p.window / s.parts)
  local passed = floor(now / width) - floor(s.last / width)
  local recent = passed <= 1 and get[s.size](s.text, #s.text - s.size + 1) or 0
  if recent > p.high then
    s.parts = min(s.parts * 2, p.most)
  elseif passed > 0 and recent < p.low then
    s.parts = max(ceil(s.parts / 2), p.fewest)
  end
  width = ceil(p.window / s.parts)
  return floor(now / width) == floor(s.last / width)
end

local function load(s, p, text, now)
  local parts = match(text, '^(%d+) ')
  if not parts or not unpack_list(s, p, text, #parts + 2) then return false end
  s.parts = min(max(tonumber(parts), p.fewest), p.most)
  if s.last <= now then return evict(s, p, now) end
  local list = records(s, p)
  for i, record in ipairs(list) do record[1] = min(record[1], now) end
  pack_list(s, p, list, format(SHAPE, s.parts), 0)
  s.stale = true
  return evict(s, p, now)
end

function adaptive.policy(now, ttl, capacity, window, fewest, most, high, low)
  return {
    ttl = ttl, capacity = tonumber(capacity), window = tonumber(window), scale = 1, digits = 6, span = 281474976710656,
    fewest = tonumber(fewest), most = tonumber(most), high = tonumber(high), low = tonumber(low),
  }
end

function adaptive.read(s, p, key, now)
  s.parts = p.fewest
  packed.read(s, p, key, now, load)
end

function adaptive.spend(s, p, key, n, now)
  if n > 0 then
    local open = adapt(s, p, now)
    count_in(s, p, format(SHAPE, s.parts), open, now, n)
  end
  packed.write(s, p, key, now)
end

algorithms.aw = adaptive
