-- sub_windows.lua: the hash behind sliding_window.lua: how it is read whole, and brought to another shape.
--
-- A field is a sub-window: its first µs -> units admitted in it. One more field, 'm', describes them.
-- A sub-window counts until the window has left it: now < start + width + window.
-- Under a policy of another width or window, and after the clock stepped back, the units of an old
-- sub-window move to the new one that holds its last µs, or now: late rather than early, so none
-- is forgiven. What had left the old window stays gone.

-- Units by the start of the sub-window they belong to now.
local function regroup(flat, old, p, now)
  local counts, gone = {}, {}
  for i = 1, #flat, 2 do
    if flat[i] ~= 'm' then
      local start, n = whole(flat[i]), whole(flat[i + 1])
      if not start or not n then return nil end
      if start + old.width + old.window > now then
        if old ~= p or start > now then
          start = min(start + old.width - 1, now)
          start = start - start % p.width
        end
        if start + p.width + p.window > now then counts[start] = (counts[start] or 0) + n end
      else
        gone[#gone + 1] = flat[i]
      end
    end
  end
  return counts, gone
end

-- Sub-windows as {start, units}, oldest first, and the sum.
local function in_order(counts)
  local list, total = {}, 0
  for start, n in next, counts do
    if n > 0 then
      list[#list + 1] = { start, n }
      total = total + n
    end
  end
  table.sort(list, function(a, b) return a[1] < b[1] end)
  return list, total
end

-- Reads every sub-window into s.list; s.gone are the fields to remove.
local function read_fields(s, p, key, old, now)
  local counts, gone = regroup(call('HGETALL', key), old, p, now)
  if not counts then
    s.broken, counts, gone = true, {}, {}
  end
  s.gone = gone
  s.list, s.total = in_order(counts)
  local first, last = s.list[1], s.list[#s.list]
  if first then s.first, s.last, s.recent = first[1], last[1], last[2] end
end

-- Has the server drop a sub-window when it leaves the window, where the policy wants that.
local function expire_field(p, key, start)
  if p.by_field == 0 then return end
  local at = format('%.0f', ceil((start + p.window + p.width) / 1000))
  call('HPEXPIREAT', key, at, 'FIELDS', 1, format('%.0f', start))
end

-- Replaces the hash by s.list.
local function rewrite(s, p, key)
  call('DEL', key)
  for i = 1, #s.list do
    call('HSET', key, format('%.0f', s.list[i][1]), format('%.0f', s.list[i][2]))
    expire_field(p, key, s.list[i][1])
  end
end
