-- Counts the live nodes of a fleet.
--
-- KEYS: the set of nodes, scored by the millisecond of the last heartbeat. ARGV: the id of the node
-- that calls, and the number of milliseconds without a heartbeat after which a node is dead.

local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
local dead_after = tonumber(ARGV[2])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. string.format('%.0f', now - dead_after))
-- Remove entries written before the clock was set back.
redis.call('ZREMRANGEBYSCORE', KEYS[1], '(' .. string.format('%.0f', now + dead_after), '+inf')
redis.call('PEXPIRE', KEYS[1], dead_after)
return redis.call('ZCARD', KEYS[1])
