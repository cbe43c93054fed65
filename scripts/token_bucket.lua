-- token_bucket.lua: capacity tokens, refilled one every T; a unit takes a token.
--
-- Key     see bucket.lua, whose units are here the tokens that are missing
-- Fields  capacity, whole, rest, den (see rate.lua)
-- Expiry  when the bucket is full again, and a second
-- Cost    O(1): one GET, one SET when admitted
-- Idea    tokens = capacity - missing. Keeping what is missing makes a raised capacity count at once and
--         an absent key a full bucket. tokens >= cost is missing + cost <= capacity: the leaky bucket
--         seen from the other end, so both are one calculation under two names.
algorithms.tb = bucket
