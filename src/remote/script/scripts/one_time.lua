-- A state that is one time: when a bucket will be full again, or when the next turn is free.
--
-- Numbers: SECONDS TICKS. `held` is how far this is ahead of the current time, in seconds and
-- ticks.
-- Terms: ticks per second, ticks per microsecond.
-- Numbers of an item: the maximum held for it to pass (for a debt: after it), then what it adds.

shapes.t = function()

local one_time = {numbers = 4}

function one_time.load(state, at)
  state.per_second = tonumber(ARGV[at])
  state.ticks = micros * tonumber(ARGV[at + 1])
  state.held, state.held_ticks = 0, 0
  local fault, whole, ticks = fetch(state)
  if whole then
    local held, held_ticks = whole - seconds, ticks - state.ticks
    if held_ticks < 0 then held, held_ticks = held - 1, held_ticks + state.per_second end
    if held >= 0 then state.held, state.held_ticks = held, held_ticks end
  end
  return at + 2, fault
end

function one_time.asks(state, at)
  local room = tonumber(ARGV[at])
  if state.held ~= room then return state.held < room end
  return state.held_ticks <= tonumber(ARGV[at + 1])
end

function one_time.take(state, at)
  local held = state.held + tonumber(ARGV[at + 2])
  local ticks = state.held_ticks + tonumber(ARGV[at + 3])
  if ticks >= state.per_second then held, ticks = held + 1, ticks - state.per_second end
  state.held, state.held_ticks = held, ticks
end

function one_time.debt(state, at)
  local held, ticks = state.held, state.held_ticks
  one_time.take(state, at)
  if one_time.asks(state, at) then return end
  local max, max_ticks = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  if held > max or (held == max and ticks > max_ticks) then
    state.held, state.held_ticks = held, ticks
  else
    state.held, state.held_ticks = max, max_ticks
  end
end

-- `last` is the microsecond from which on nothing is refunded, 0 for none. At that time the bucket
-- would be full if there were no other charges. Without the charged units the bucket may have been
-- full since they were taken, and a full bucket gets nothing back. So at most the time until `last`
-- is refunded (ARCHITECTURE.md, "Returns").
function one_time.refund(state, at, last)
  local back, back_ticks = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  if last > 0 then
    -- Round up to a microsecond, so that units refunded at once are refunded in full.
    local left = last - now
    local rest = fmod(left, 1000000)
    local whole, left_ticks = (left - rest) / 1000000, rest * (state.per_second / 1000000)
    if whole < back or (whole == back and left_ticks < back_ticks) then
      back, back_ticks = whole, left_ticks
    end
  end
  local held, ticks = state.held - back, state.held_ticks - back_ticks
  if ticks < 0 then held, ticks = held - 1, ticks + state.per_second end
  if held < 0 then held, ticks = 0, 0 end
  state.held, state.held_ticks = held, ticks
end

function one_time.save(state)
  local whole, ticks = seconds + state.held, state.ticks + state.held_ticks
  if ticks >= state.per_second then whole, ticks = whole + 1, ticks - state.per_second end
  local unused = whole * 1000 + ceil_div(ticks, state.per_second / 1000)
  if state.held == 0 and state.held_ticks == 0 then unused = 0 end
  keep(state, digits(whole) .. ' ' .. digits(ticks), unused)
end

return one_time
end
