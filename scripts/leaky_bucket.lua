-- leaky_bucket.lua: a bucket of capacity units that leaks one every T; a unit that would overflow it is refused.
--
-- Key     see bucket.lua: its level
-- Fields  capacity, whole, rest, den (see rate.lua)
-- Expiry  when the bucket is empty, and a second
-- Cost    O(1): one GET, one SET when admitted
-- Idea    the bucket as a meter: level + cost <= capacity admits at once, nothing waits inside.
algorithms.lb = bucket
