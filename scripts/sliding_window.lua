-- sliding_window.lua: units counted by sub-window; the window is whole sub-windows and a part of the oldest.
--
-- Key     string of records (see packed.lua), shape "width parts "; a record's time is the number of its
--         sub-window's end: i for [(i-1)·width, i·width), from the epoch
-- Fields  capacity, window (µs), width of a sub-window (µs), weighted 0|1; expiry from Go
-- Expiry  window and a sub-window and a second
-- Cost    one GET, one SET of 4 to 9 bytes for each sub-window that holds units; a denied cost above 1 reads
--         on until it fits: O(sub-windows) at most
-- Idea    conservative: the oldest sub-window counts whole as long as the window touches it, so no window
--         ever holds more than capacity. Weighted: it counts by the part still covered, rounded up.
--         Window 10 s in 5: units of 1 s to 2 s leave together at 12 s.
local sliding = { fields = 4, check = packed.check, outlook = packed.outlook }

-- The records of another shape in p's sub-windows. They, and those after now, go to the one that holds
-- their last µs, or now: late rather than early, so that none is forgiven. What has left stays gone.
local function regroup(list, width, window, p, now)
  local moved = {}
  for _, record in ipairs(list) do
    local ends, tail = record[1] * width, moved[#moved]
    local t = floor(min(ends - 1, now) / p.scale) + 1
    if ends + window > now and leaves(p, t) > now then
      if tail and tail[1] == t then
        tail[2] = tail[2] + record[2]
      else
        moved[#moved + 1] = { t, record[2] }
      end
    end
  end
  return moved
end

local function reshape(s, p, width, window, now)
  pack_list(s, p, regroup(records(s, p), width, window, p, now), p.shape, 0)
  s.stale = true
end

local function load(s, p, text, now)
  if sub(text, 1, #p.shape) == p.shape then
    if not unpack_list(s, p, text, #p.shape + 1) then return false end
    if s.last <= p.current then return evict(s, p, now) end
    reshape(s, p, p.scale, p.window, now)
    return true
  end
  local width, parts = match(text, '^(%d+) (%d+) ')
  if not width or not unpack_list(s, p, text, #width + #parts + 3) then return false end
  reshape(s, p, tonumber(width), width * parts, now)
  return true
end

function sliding.policy(now, ttl, capacity, window, width, weighted)
  window, width = tonumber(window), tonumber(width)
  return {
    ttl = ttl, capacity = tonumber(capacity), window = window, scale = width, weighted = weighted == '1',
    digits = 2, span = 65536, shape = format('%s ' .. INT .. ' ', width, window / width), current = floor(now / width) + 1,
  }
end

function sliding.read(s, p, key, now)
  packed.read(s, p, key, now, load)
end

function sliding.spend(s, p, key, n, now)
  if n > 0 then count_in(s, p, p.shape, s.live > 0 and s.last == p.current, p.current, n) end
  packed.write(s, p, key, now)
end

algorithms.sw = sliding
