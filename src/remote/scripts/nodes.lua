-- Counts the nodes of a fleet that are alive.
--
-- KEYS: the set of them, by the millisecond at which each was last heard of. ARGV: the name of the
-- one that asks, and after how many milliseconds without a word a node is dead.

local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
local dead_after = tonumber(ARGV[2])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. string.format('%.0f', now - dead_after))
-- Written before the clock was set back.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. string.format('%.0f', now + dead_after), '+inf')
redis.call('PEXPIRE', KEYS[1], dead_after)
return redis.call('ZCARD', KEYS[1])
