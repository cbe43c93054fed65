-- layers.lua: the hash behind layered_window.lua: running totals of the coarse parts, and of the fine ones.
--
-- Fine parts are numbered from the epoch: j covers [j·width, (j+1)·width). Coarse part i is the fine parts
-- [i·fine, (i+1)·fine). Only parts that hold units are listed, each as " part:units before it":
--   c    "176400000 0:0 1:12 3:40": coarse part 176400000 began after 0 units, the next after 12 units, …
--   i    " 0:0 2:3 9:8": the same for the fine parts of coarse part i, counted from its own start
-- So a part's units are the next one's number less its own; layered_window.lua says how many the newest
-- hold. A part's entry never changes, and a part that has left is simply not asked for.
local gmatch, find = string.gmatch, string.find
local ENTRY, ENTRIES, ENTRY_OF = ' ' .. INT .. ':' .. INT, ' (%d+):(%d+)', ' ' .. INT .. ':(%%d+)'

-- The first entry of a list that is for part from or a later one; nil if there is none.
local function entry_from(list, from)
  local before = whole(match(list, format(ENTRY_OF, from)))
  if before then return from, before end
  for part, units in gmatch(list, ENTRIES) do
    part, units = whole(part), whole(units)
    if not part or not units then return nil end
    if part >= from then return part, units end
  end
end

-- The entry for the part that holds a unit, the first of the list being 1; nil in an empty list.
local function entry_with(list, unit)
  local part, before
  for p, units in gmatch(list, ENTRIES) do
    p, units = whole(p), whole(units)
    if not p or not units or units >= unit then break end
    part, before = p, units
  end
  return part, before
end

-- Field c as its first coarse part and a list of parts counted from that; nil where it is not readable.
local function coarse_list(text)
  local start, list = match(text or '', '^(%d+)( .+)$')
  if start then return whole(start), list end
end

local function fine_list(key, i)
  return call('HGET', key, format(INT, i)) or ''
end

-- The first fine part from oldest on, and the units before it: a look at one coarse part's fine counts,
-- or where they end at the next one's. nil where the hash does not hold together.
local function seek(key, fine, oldest)
  local i = floor(oldest / fine)
  local found = call('HMGET', key, 'c', format(INT, i))
  local start, list = coarse_list(found[1])
  if not start then return nil end
  local part, base = entry_from(list, i - start)
  if part == i - start then
    local j, before = entry_from(found[2] or '', oldest - i * fine)
    if j then return i * fine + j, base + before end
    part, base = entry_from(list, part + 1)
  end
  if not part then return nil end
  local j, before = entry_from(fine_list(key, start + part), 0)
  if j then return (start + part) * fine + j, base + before end
end

-- The fine part that holds a unit; nil where the hash does not hold together.
local function holder(key, fine, unit)
  local start, list = coarse_list(call('HGET', key, 'c'))
  if not start then return nil end
  local part, base = entry_with(list, unit)
  if not part then return nil end
  local j = entry_with(fine_list(key, start + part), unit - base)
  if j then return (start + part) * fine + j end
end

-- All fine parts as {j, units before}, newest first, as regroup wants them; nil where they are not in order.
local function every_part(flat, fine, admitted)
  local fields, coarse, parts, later = {}, {}, {}, { BIGGEST, admitted }
  for i = 1, #flat, 2 do fields[flat[i]] = flat[i + 1] end
  local start, list = coarse_list(fields.c)
  if not start then return nil end
  for part, base in gmatch(list, ENTRIES) do
    if not whole(part) or not whole(base) then return nil end
    coarse[#coarse + 1] = { start + part, tonumber(base) }
  end
  for c = #coarse, 1, -1 do
    local i, base, these = coarse[c][1], coarse[c][2], {}
    for part, before in gmatch(fields[format(INT, i)] or '', ENTRIES) do
      these[#these + 1] = { i * fine + part, base + before }
    end
    if not these[1] then return nil end
    for e = #these, 1, -1 do
      if these[e][1] >= later[1] or these[e][2] >= later[2] then return nil end
      later = these[e]
      parts[#parts + 1] = later
    end
  end
  return parts
end

-- Writes all fine parts, {j, units before} with the oldest first, to a hash that is not there.
local function write_parts(key, fine, parts)
  local start, last, base, row = floor(parts[1][1] / fine), nil, 0, {}
  local coarse = { format(INT, start) }
  for _, entry in ipairs(parts) do
    local i = floor(entry[1] / fine)
    if i ~= last then
      if last then call('HSET', key, format(INT, last), table.concat(row)) end
      last, base, row = i, entry[2], {}
      coarse[#coarse + 1] = format(ENTRY, i - start, base)
    end
    row[#row + 1] = format(ENTRY, entry[1] - i * fine, entry[2] - base)
  end
  call('HSET', key, 'c', table.concat(coarse), format(INT, last), table.concat(row))
end

-- Field c without the coarse parts before oldest, which are removed, and with i, which begins after
-- 'before' units. Also how much less every number before counts from now on, so that none grows for ever.
local function begin_coarse(key, oldest, i, before, parts)
  local start, list = coarse_list(call('HGET', key, 'c'))
  local kept = start and find(list, format(' ' .. INT .. ':', oldest - start), 1, true)
  if not kept then return nil, 0 end
  for part in gmatch(sub(list, 1, kept - 1), ENTRIES) do call('HDEL', key, format(INT, start + part)) end
  list = sub(list, kept)
  local shift, less = oldest - start, tonumber(match(list, ':(%d+)'))
  if i - start <= 3 * parts then
    shift, less = 0, 0
  else
    list = list:gsub(ENTRIES, function(part, units) return format(ENTRY, part - shift, units - less) end)
  end
  return format(INT, start + shift) .. list .. format(ENTRY, i - start - shift, before - less), less
end
