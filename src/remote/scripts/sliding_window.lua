-- Two counters in a hash: t the tag, e when the current window ends, p and c what was charged in
-- the window before and in this one.
--
-- Terms: COUNT, PERIOD. Numbers of an item: what must be free, what it adds.

shapes.w = function()

local sliding_window = {numbers = 2}

function sliding_window.load(state, at)
  state.most, state.period = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  state.ends = now - fmod(now, state.period) + state.period
  state.previous, state.current = 0, 0
  local held = redis.call('HMGET', state.key, 't', 'e', 'p', 'c')
  if held[1] then
    state.before = table.concat(held, ' ')
    if held[1] ~= state.tag then return at + 2, OTHER_TERMS end
    local ends = tonumber(held[2])
    if now < ends then
      state.ends, state.previous, state.current = ends, tonumber(held[3]), tonumber(held[4])
    elseif now < ends + state.period then
      state.ends, state.previous = ends + state.period, tonumber(held[4])
    end
  end
  return at + 2, DECIDED
end

function sliding_window.asks(state, at)
  local asked = tonumber(ARGV[at])
  if asked == 0 then return true end
  local room = state.most - state.current - asked
  if room < 0 then return false end
  local in_view = math.min(state.ends - now, state.period)
  return at_most(state.previous, in_view, room, state.period)
end

-- A check that passes fits; a debt fills the counter.
function sliding_window.take(state, at)
  state.current = math.min(state.current + tonumber(ARGV[at + 1]), state.most)
end

sliding_window.debt = sliding_window.take

function sliding_window.refund(state, at)
  local units = tonumber(ARGV[at + 1])
  local newest = math.min(state.current, units)
  state.current = state.current - newest
  state.previous = math.max(0, state.previous - (units - newest))
end

function sliding_window.save(state)
  if state.current == 0 and state.previous == 0 then return redis.call('DEL', state.key) end
  local unused = state.ends
  if state.current > 0 then unused = unused + state.period end
  redis.call('HSET', state.key, 't', state.tag, 'e', digits(state.ends),
             'p', digits(state.previous), 'c', digits(state.current))
  redis.call('PEXPIREAT', state.key, milliseconds(unused))
end

return sliding_window
end
