-- sub_windows.lua: the hash behind field_window.lua, and how one of another shape is brought to this one.
--
-- Sub-windows are numbered from the epoch: i covers [i·width, (i+1)·width). Field i -> how many units were
-- admitted before sub-window i since the hash began; only sub-windows that hold units have one, and it
-- never changes. Field 'm', one more, says how far it has come (see field_window.lua). So the units in
-- a stretch are a difference of two fields, and a sub-window that has left is simply not asked for:
-- it does not matter whether it was removed, expired by itself, or is still there.
local FIELD = INT

-- The first sub-window after i that holds units, and how many were admitted before it.
-- Only for i < s.last. The fields asked for grow, as the next one is mostly the very next.
local function following(s, i)
  local size = 2
  while i + 1 < s.last do
    local names = {}
    for j = i + 1, min(i + size, s.last - 1) do names[#names + 1] = format(FIELD, j) end
    local found = call('HMGET', s.key, unpack(names))
    for j = 1, #names do
      if found[j] then return i + j, whole(found[j]) or s.admitted end
    end
    i, size = i + #names, min(size * 4, 128)
  end
  return s.last, s.before_last
end

-- The hash's sub-windows as {i, units before}, newest first; nil where it holds anything else.
local function newest_first(flat, admitted)
  local list = {}
  for j = 1, #flat, 2 do
    if flat[j] ~= 'm' then
      local i, before = whole(flat[j]), whole(flat[j + 1])
      if not i or not before or before > admitted then return nil end
      list[#list + 1] = { i, before }
    end
  end
  table.sort(list, function(a, b) return a[1] > b[1] end)
  return list
end

-- The same in p's own sub-windows, oldest first and counted from 0, and the units in all. Sub-windows of
-- another width, and those after now, go to the one that holds their last µs, or now: late rather than
-- early, so that none is forgiven. What had left the old window stays gone, whether or not its field is.
local function regroup(list, old, p, now)
  local moved, admitted = {}, old.admitted
  for _, entry in ipairs(list) do
    local ends, n = (entry[1] + 1) * old.width, admitted - entry[2]
    local i = floor(min(ends - 1, now) / p.width)
    if entry[1] >= old.first and ends + old.window > now and (i + 1) * p.width + p.window > now then
      local newer = moved[#moved]
      if newer and newer[1] == i then
        newer[2] = newer[2] + n
      else
        moved[#moved + 1] = { i, n }
      end
    end
    admitted = entry[2]
  end
  local oldest_first, before = {}, 0
  for j = #moved, 1, -1 do
    local entry = moved[j]
    oldest_first[#oldest_first + 1] = { entry[1], before }
    before = before + entry[2]
  end
  return oldest_first, before
end

-- Has the server drop a sub-window when it leaves the window.
local function expire_field(p, key, i)
  local at = format(INT, ceil(((i + 1) * p.width + p.window) / 1000))
  call('HPEXPIREAT', key, at, 'FIELDS', '1', format(FIELD, i))
end

-- Takes n units, or as many as there are, out of sub-window i of s.list; false where it has none.
local function take_out(s, i, n)
  local list, place = s.list, 0
  for j, entry in ipairs(list) do
    if entry[1] == i then place = j end
  end
  if place == 0 then return false end
  local held = (list[place + 1] and list[place + 1][2] or s.admitted) - list[place][2]
  local gone = min(n, held)
  for j = place + 1, #list do list[j][2] = list[j][2] - gone end
  if gone == held then table.remove(list, place) end
  s.admitted, s.live = s.admitted - gone, s.live - gone
  local newest = list[#list]
  if newest then s.first, s.last, s.before_last = list[1][1], newest[1], newest[2] end
  return true
end
