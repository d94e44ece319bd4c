-- A count and the end of its window. Numbers: END COUNT.
--
-- Terms: COUNT, then where windows end:
--   a PERIOD OFFSET        at multiples of the period since 1970, shifted by the offset
--   f PERIOD               one period after the first charge
--   c START END END END    at ends of a calendar: three windows in a row
-- Numbers of an item: what must be free, what it adds.

shapes.f = function()

local fixed_window = {numbers = 2}

-- Returns the end of a window that opens now, and the index of the argument after the terms.
local function window_end(at)
  local kind = ARGV[at]
  if kind == 'f' then return now + tonumber(ARGV[at + 1]), at + 2 end
  if kind == 'a' then
    local period, offset = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
    local since = fmod(now - offset, period)
    -- fmod is negative if the first window has not begun.
    if since < 0 then since = since + period end
    return now - since + period, at + 3
  end
  if now >= tonumber(ARGV[at + 1]) then
    for i = at + 2, at + 4 do
      if now < tonumber(ARGV[i]) then return tonumber(ARGV[i]), at + 5 end
    end
  end
  return nil, at + 5
end

function fixed_window.load(state, at)
  local opened
  state.max = tonumber(ARGV[at])
  opened, at = window_end(at + 1)
  state.count, state.ends = 0, opened
  local fault, ends, count = fetch(state)
  -- A key that is kept for the states beside it may have a count of 0: its window is not open.
  if ends and now < ends and count > 0 then state.count, state.ends = count, ends end
  if fault == DECIDED and not state.ends then fault = OUT_OF_RANGE end
  return at, fault
end

function fixed_window.asks(state, at)
  local asked = tonumber(ARGV[at])
  return asked == 0 or state.count + asked <= state.max
end

-- A check that passes fits; a recorded refusal or a debt fills the window at most.
function fixed_window.take(state, at)
  state.count = math.min(state.count + tonumber(ARGV[at + 1]), state.max)
end

fixed_window.debt = fixed_window.take

function fixed_window.refund(state, at)
  state.count = math.max(0, state.count - tonumber(ARGV[at + 1]))
end

function fixed_window.save(state)
  keep(state, digits(state.ends) .. ' ' .. digits(state.count),
       state.count > 0 and milliseconds(state.ends) or 0)
end

return fixed_window
end
