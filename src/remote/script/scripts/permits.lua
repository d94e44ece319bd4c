-- Permits in a sorted set, by deadline: "ID" for one unit, "ID:UNITS" for more. The member "+" has
-- a negative score: the number of units beyond one per permit, so that the units can be counted
-- without reading all members.
--
-- Terms: max_in_flight, and the requested units. Numbers of an item: what must be free, and one
-- that is ignored, because a check takes no permit. Reports "UNITS LAST FREE": the units held, the
-- last deadline, and the one at which the requested units will be free.

local function units_of(member)
  return tonumber(match(member, ':(%d+)$') or 1)
end

shapes.c = function()

local permits = {numbers = 2}

-- Returns the deadline at which this number of units will have been freed.
local function deadline_of(state, units)
  if state.extra == 0 then
    local rank = state.past + units - 1
    return tonumber(redis.call('ZRANGE', state.key, rank, rank, 'WITHSCORES')[2])
  end
  local live = redis.call('ZRANGEBYSCORE', state.key, '(' .. digits(now), '+inf', 'WITHSCORES')
  for i = 1, #live, 2 do
    units = units - units_of(live[i])
    if units <= 0 then return tonumber(live[i + 1]) end
  end
end

function permits.load(state, at)
  local asked = tonumber(ARGV[at + 1])
  state.max, state.free, state.last = tonumber(ARGV[at]), 0, 0
  local extra = redis.call('ZSCORE', state.key, '+')
  state.extra = extra and -tonumber(extra) or 0
  state.expired = redis.call('ZRANGEBYSCORE', state.key, 0, digits(now))
  for i = 1, #state.expired do state.extra = state.extra - units_of(state.expired[i]) + 1 end
  -- Number of members before the first permit that is held.
  state.past = #state.expired + (extra and 1 or 0)
  state.units = redis.call('ZCARD', state.key) - state.past + state.extra
  if state.units > 0 then
    state.last = tonumber(redis.call('ZRANGE', state.key, -1, -1, 'WITHSCORES')[2])
    local short_of = asked - (state.max - state.units)
    if short_of > 0 and short_of <= state.units then state.free = deadline_of(state, short_of) end
    state.before = digits(state.units) .. ' ' .. digits(state.last) .. ' ' .. digits(state.free)
  end
  return at + 2, DECIDED
end

function permits.asks(state, at)
  local asked = tonumber(ARGV[at])
  return asked == 0 or asked <= state.max - state.units
end

return permits
end
