-- driver.lua: judges decisions, each a list of charges, all or nothing. Last part of each composed script.
--
-- KEYS     one for each charge, in order
-- ARGV[1]  a number that is echoed, so that a reply is known to belong to its call
-- ARGV[2]  now in µs; 0 = this server's TIME (anything else is for tests)
-- ARGV[3]  how many policies follow, each: tag, expiry in ms, its algorithm's fields
-- then     the decisions, each: how many charges, and for each charge
--          the number of its policy (from 1) and its cost (0 looks and never writes)
-- Returns  {ARGV[1], then five integers a charge: retry, remaining, next, reset, repaired}
--          retry, next, reset in µs; retry 0 = has room, -1 = above capacity; repaired 0|1
-- Clock    TIME, read once: some servers freeze it during a script and others do not
-- Expiry   set by the algorithm with each write
-- Cost     what its algorithms cost; one slot, if all KEYS share a hash tag
-- Idea     read all charges of a decision, then write all, or none. One script runs at a time, so
--          nothing can come between; later decisions of the same call see what earlier ones wrote.
local now = tonumber(ARGV[2])
if now == 0 then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end

local policies, at = {}, 4
for i = 1, tonumber(ARGV[3]) do
  local p = { algorithm = algorithms[ARGV[at]], ttl = ARGV[at + 1] }
  local fields = p.algorithm.fields
  for j = 1, #fields do p[fields[j]] = tonumber(ARGV[at + 1 + j]) end
  if p.algorithm.prepare then p.algorithm.prepare(p) end
  policies[i] = p
  at = at + 2 + #fields
end

local function judge(s, p, cost)
  s.broken, s.stale = false, false
  p.algorithm.read(s, p, s.key, now)
  if cost > p.capacity then return -1 end
  if cost <= s.room then return 0 end
  return p.algorithm.check(s, p, cost, now)
end

local function settle(s, p, units, write)
  if s.broken and write then call('DEL', s.key) end
  if units > 0 or (s.stale and write) then p.algorithm.spend(s, p, s.key, units, now) end
end

local reply, filled, key, last = { tonumber(ARGV[1]) }, 1, 0, #ARGV
local function report(s, p)
  local next, reset = 0, 0
  if s.room < p.capacity then
    next = p.algorithm.check(s, p, s.room + 1, now)
    reset = p.algorithm.check(s, p, p.capacity, now)
  end
  reply[filled + 1], reply[filled + 2], reply[filled + 3] = s.retry, s.room, next
  reply[filled + 4], reply[filled + 5] = reset, s.broken and 1 or 0
  filled = filled + 5
end

local slots = {}
while at <= last do
  local charges, fits, write = tonumber(ARGV[at]), true, false
  for i = 1, charges do
    local s = slots[i] or {}
    slots[i] = s
    s.key, s.policy, s.cost = KEYS[key + i], policies[tonumber(ARGV[at + 1])], tonumber(ARGV[at + 2])
    s.retry = judge(s, s.policy, s.cost)
    fits = fits and s.retry == 0
    write = write or s.cost > 0
    at = at + 2
  end
  for i = 1, charges do
    local s = slots[i]
    settle(s, s.policy, fits and s.cost or 0, write)
    report(s, s.policy)
  end
  at, key = at + 1, key + charges
end
return reply
