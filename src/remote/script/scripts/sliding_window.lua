-- Two counters. Numbers: END PREVIOUS CURRENT, the end of the current window and the units charged
-- in the previous window and in this one.
--
-- Terms: COUNT, PERIOD. Numbers of an item: what must be free, what it adds.

shapes.w = function()

local sliding_window = {numbers = 2}

function sliding_window.load(state, at)
  state.max, state.period = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  state.ends = now - fmod(now, state.period) + state.period
  state.previous, state.current = 0, 0
  local fault, ends, previous, current = fetch(state)
  if not ends then return at + 2, fault end
  if now < ends then
    state.ends, state.previous, state.current = ends, previous, tonumber(current)
  elseif now < ends + state.period then
    state.ends, state.previous = ends + state.period, tonumber(current)
  end
  return at + 2, fault
end

function sliding_window.asks(state, at)
  local asked = tonumber(ARGV[at])
  if asked == 0 then return true end
  local room = state.max - state.current - asked
  if room < 0 then return false end
  local in_view = math.min(state.ends - now, state.period)
  return at_most(state.previous, in_view, room, state.period)
end

-- A check that passes fits; a debt fills the counter at most.
function sliding_window.take(state, at)
  state.current = math.min(state.current + tonumber(ARGV[at + 1]), state.max)
end

sliding_window.debt = sliding_window.take

function sliding_window.refund(state, at)
  local units = tonumber(ARGV[at + 1])
  local newest = math.min(state.current, units)
  state.current = state.current - newest
  state.previous = math.max(0, state.previous - (units - newest))
end

function sliding_window.save(state)
  local unused = 0
  if state.current > 0 then
    unused = milliseconds(state.ends + state.period)
  elseif state.previous > 0 then
    unused = milliseconds(state.ends)
  end
  keep(state, digits(state.ends) .. ' ' .. digits(state.previous) .. ' ' .. digits(state.current),
       unused)
end

return sliding_window
end
