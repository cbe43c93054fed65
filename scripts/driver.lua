-- driver.lua: judges decisions, each a list of charges, all or nothing. Last part of each composed script.
--
-- KEYS     one for each charge, in order
-- ARGV[1]  a number that is echoed, so that a reply is known to belong to its call
-- ARGV[2]  now in µs; 0 = this server's TIME (anything else is for tests)
-- ARGV[3]  how many policies follow, each: tag, expiry in ms, its algorithm's fields
-- then     for each charge "policy cost" and a mark: the number of its policy, from 1, and its cost (0 looks
--          and never writes); "cost" alone is "1 cost". Marks, of which decisions over several slots use
--          the last three:
--            " &"   the decision has more charges
--            " ?"   it ends here and is only looked at: judged at its costs, never written
--            " @"   it ends here, and the reply has now after its numbers
--            " -t"  no decision: gives back cost units that were spent at t µs; told as a look
-- Returns  {ARGV[1], then for each charge: 4·remaining + 2·repaired + denied, next, reset, and if denied
--          retry}; next, reset and retry in µs, retry -1 = above capacity
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

local policies, kinds, at = {}, {}, 4
for i = 1, tonumber(ARGV[3]) do
  local algorithm = algorithms[ARGV[at]]
  policies[i], kinds[i] = algorithm.policy(now, unpack(ARGV, at + 1, at + 1 + algorithm.fields)), algorithm
  at = at + 2 + algorithm.fields
end

-- What a charge asks for; most charges of a call ask for the same.
local charges = {}
local function parse_charge(text)
  local policy, cost, mark, at = 1, tonumber(text), '', ''
  if not cost then
    policy, cost, mark, at = match(text, '^(%d+) (%d+) ?([&?@-]?)(%d*)$')
    policy, cost = tonumber(policy), tonumber(cost)
  end
  local charge = { policy = policies[policy], kind = kinds[policy], cost = cost, mark = mark, at = tonumber(at) }
  charges[text] = charge
  return charge
end

local reply, filled = { tonumber(ARGV[1]) }, 1
local function report(s, kind, p, retry)
  local room = s.room
  local head, next, reset = 4 * room, 0, 0
  if room < p.capacity then next, reset = kind.outlook(s, p, now) end
  if s.broken then head = head + 2 end
  if retry ~= 0 then head = head + 1 end
  reply[filled + 1] = head
  reply[filled + 2] = next
  reply[filled + 3] = reset
  filled = filled + 3
  if retry ~= 0 then
    filled = filled + 1
    reply[filled] = retry
  end
end

-- How long until cost units fit; 0 = now, -1 = never.
local function wait(s, kind, p, cost)
  if cost <= s.room then return 0 end
  if cost > p.capacity then return -1 end
  return kind.check(s, p, cost, now)
end

-- Spends a charge of a decision that fits, else repairs what its state needs.
local function settle(s, kind, p, key, units, write)
  if s.broken and write then call('DEL', key) end
  if units > 0 or (s.stale and write) then kind.spend(s, p, key, units, now) end
end

-- A decision of several charges: each is read before any is written.
local function judge(slots, size)
  local fits, write = true, false
  for i = 1, size do
    local s = slots[i]
    local kind, p, cost = s.charge.kind, s.charge.policy, s.charge.cost
    s.broken, s.stale = false, false
    kind.read(s, p, s.key, now)
    s.retry = wait(s, kind, p, cost)
    if s.retry ~= 0 then fits = false end
    if cost > 0 then write = true end
  end
  local mark = slots[size].charge.mark
  if mark == '?' then fits, write = false, false end
  for i = 1, size do
    local s = slots[i]
    local kind, p = s.charge.kind, s.charge.policy
    settle(s, kind, p, s.key, fits and s.charge.cost or 0, write)
    report(s, kind, p, s.retry)
  end
  if mark == '@' then
    filled = filled + 1
    reply[filled] = now
  end
end

-- Gives back where that is safe: what has been brought to another shape or time says too little.
local function give_back(charge, key)
  local s, kind, p = { key = key, broken = false, stale = false }, charge.kind, charge.policy
  kind.read(s, p, key, now)
  if kind.refund and charge.cost > 0 and charge.at <= now and not s.broken and not s.stale then
    kind.refund(s, p, key, charge.cost, charge.at, now)
    kind.read(s, p, key, now)
  end
  report(s, kind, p, 0)
end

local slots, size, s = {}, 0, { broken = false, stale = false }
for i = 1, #KEYS do
  local key, text = KEYS[i], ARGV[at + i - 1]
  local charge = charges[text] or parse_charge(text)
  if charge.at then
    give_back(charge, key)
  elseif size > 0 or charge.mark ~= '' then
    size = size + 1
    slots[size] = { key = key, charge = charge }
    if charge.mark ~= '&' then
      judge(slots, size)
      size = 0
    end
  else
    local kind, p, cost = charge.kind, charge.policy, charge.cost
    s.key = key
    kind.read(s, p, key, now)
    if cost <= s.room and not s.broken then
      if cost > 0 then kind.spend(s, p, key, cost, now) end
      report(s, kind, p, 0)
      s.stale = false
    else
      local retry = wait(s, kind, p, cost)
      settle(s, kind, p, key, retry == 0 and cost or 0, cost > 0)
      report(s, kind, p, retry)
      s.broken, s.stale = false, false
    end
  end
end
return reply
