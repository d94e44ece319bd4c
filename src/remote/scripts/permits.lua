-- Permits in a sorted set, by deadline: "ID" for one unit, "ID:UNITS" for more. The member "+",
-- with a score below 0, says by how many units all of them are more than one each, so that they
-- need not be read to be counted.
--
-- Terms: max_in_flight, and what is asked for. Numbers of an item: what must be free, and one that
-- is not read: a check takes no permit. Answers "UNITS LAST FREE": the units that are held, the
-- last deadline, and the one at which what is asked for will be free.

local function units_of(member)
  return tonumber(match(member, ':(%d+)$') or 1)
end

shapes.c = function()

local permits = {numbers = 2}

-- The deadline at which so many units will have come back.
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
  state.most, state.free, state.last = tonumber(ARGV[at]), 0, 0
  local extra = redis.call('ZSCORE', state.key, '+')
  state.extra = extra and -tonumber(extra) or 0
  state.expired = redis.call('ZRANGEBYSCORE', state.key, 0, digits(now))
  for i = 1, #state.expired do state.extra = state.extra - units_of(state.expired[i]) + 1 end
  -- Members before the first permit that is held.
  state.past = #state.expired + (extra and 1 or 0)
  state.units = redis.call('ZCARD', state.key) - state.past + state.extra
  if state.units > 0 then
    state.last = tonumber(redis.call('ZRANGE', state.key, -1, -1, 'WITHSCORES')[2])
    local short_of = asked - (state.most - state.units)
    if short_of > 0 and short_of <= state.units then state.free = deadline_of(state, short_of) end
    state.before = digits(state.units) .. ' ' .. digits(state.last) .. ' ' .. digits(state.free)
  end
  return at + 2, DECIDED
end

function permits.asks(state, at)
  local asked = tonumber(ARGV[at])
  return asked == 0 or asked <= state.most - state.units
end

return permits
end
