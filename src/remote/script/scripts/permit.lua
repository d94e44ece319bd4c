-- Acquires, renews or releases one permit.
--
-- ARGV: a (acquire), n (renew) or l (release), the permit's id, max_in_flight, the units, and the
-- lifetime of a permit in microseconds. Returns {1 if it passes, seconds, microseconds, the units
-- held afterwards, the last deadline, the deadline at which enough units would be free}.

local op, id, ttl = ARGV[1], ARGV[2], tonumber(ARGV[5])
local units = tonumber(ARGV[4])
local state = {key = KEYS[1]}
shapes.c().load(state, 3)

-- Returns the member of the permit; nil if it is not held.
local function member_of()
  local deadline = redis.call('ZSCORE', state.key, id)
  if deadline then return tonumber(deadline) > now and id or nil end
  if state.extra == 0 then return nil end
  local live = redis.call('ZRANGEBYSCORE', state.key, '(' .. digits(now), '+inf')
  for i = 1, #live do
    if string.sub(live[i], 1, #id + 1) == id .. ':' then return live[i] end
  end
end

local function save()
  if state.units == 0 then return redis.call('DEL', state.key) end
  for i = 1, #state.expired do
    if state.expired[i] ~= state.member then redis.call('ZREM', state.key, state.expired[i]) end
  end
  if state.extra > 0 then
    redis.call('ZADD', state.key, digits(-state.extra), '+')
  else
    redis.call('ZREM', state.key, '+')
  end
  state.last = tonumber(redis.call('ZRANGE', state.key, -1, -1, 'WITHSCORES')[2])
  redis.call('PEXPIREAT', state.key, digits(milliseconds(state.last)))
end

local held, passes = member_of(), true
if op == 'l' then
  if held then
    redis.call('ZREM', state.key, held)
    state.units, state.extra = state.units - units_of(held), state.extra - units_of(held) + 1
    save()
  end
elseif op == 'n' or (units > 0 and units <= state.max and held) then
  passes = held ~= nil
  if held then
    redis.call('ZADD', state.key, digits(now + ttl), held)
    save()
  end
elseif units > 0 then
  passes = units <= state.max - state.units
  if passes then
    state.member = id
    if units > 1 then state.member = id .. ':' .. digits(units) end
    redis.call('ZADD', state.key, digits(now + ttl), state.member)
    state.units, state.extra = state.units + units, state.extra + units - 1
    save()
  end
end
local last = state.units > 0 and state.last or 0
return {passes and 1 or 0, seconds, micros, state.units, last, state.free}
