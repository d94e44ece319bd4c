-- Tokens that come back all at once. Numbers: FULL_AT USED, the time of the refill that fills the
-- bucket and the number of missing tokens.
--
-- Terms: COUNT, PERIOD, burst, max_wait, "a" if refills are at multiples of the period since 1970
-- (otherwise "f": counted from the first charge), and how far ahead a debt may reach.
-- Numbers of an item: what must be available, what it takes.

shapes.i = function()

local interval_bucket = {numbers = 2}

function interval_bucket.load(state, at)
  local count, period = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  state.count, state.period, state.burst = count, period, tonumber(ARGV[at + 2])
  state.max_wait, state.furthest = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 5])
  state.used, state.refill = 0, now + period
  if ARGV[at + 4] == 'a' then state.refill = now - fmod(now, period) + period end
  local fault, full_at, used = fetch(state)
  if used and used > 0 and full_at > now then
    local refills = ceil_div(used, count)
    local left = math.min(refills, ceil_div(full_at - now, period))
    state.used = used - (refills - left) * count
    state.refill = full_at - (left - 1) * period
  end
  return at + 6, fault
end

function interval_bucket.asks(state, at)
  local asked = tonumber(ARGV[at])
  if asked == 0 then return true end
  if asked > state.burst then return false end
  local short_of = state.used + asked - state.burst
  if short_of <= 0 then return true end
  local refills = ceil_div(short_of, state.count)
  return state.refill - now + (refills - 1) * state.period <= state.max_wait
end

function interval_bucket.take(state, at)
  state.used = state.used + tonumber(ARGV[at + 1])
end

function interval_bucket.debt(state, at)
  local max, first = state.used, state.refill - now
  if first <= state.furthest then
    local refills = 1 + floor_div(state.furthest - first, state.period)
    max = math.max(max, refills * state.count)
  end
  state.used = math.min(state.used + tonumber(ARGV[at + 1]), max)
end

function interval_bucket.refund(state, at)
  state.used = math.max(0, state.used - tonumber(ARGV[at + 1]))
end

function interval_bucket.save(state)
  local full_at = state.refill + (ceil_div(state.used, state.count) - 1) * state.period
  keep(state, digits(full_at) .. ' ' .. digits(state.used),
       state.used > 0 and milliseconds(full_at) or 0)
end

return interval_bucket
end
