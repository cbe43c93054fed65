-- bytes.lua: whole numbers as big-endian bytes, for the algorithms that keep lists in a string.
local byte, char, rep, find = string.byte, string.char, string.rep, string.find

-- The number that stands in size bytes of text.
local function number(text, at, size)
  local n = byte(text, at)
  for i = at + 1, at + size - 1 do n = n * 256 + byte(text, i) end
  return n
end

local function bytes(n, size)
  if size == 1 then return char(n) end
  return bytes(floor(n / 256), size - 1) .. char(n % 256)
end

-- How many bytes hold n.
local function size_of(n)
  local size = 1
  while n >= 256 ^ size do size = size + 1 end
  return size
end
