-- The start of the script: the time, and numbers.
--
-- Every number is a whole one below 2^53, which a double holds exactly. Times are microseconds
-- since 1970, but for states that are kept as one time to the tick.

local DECIDED, OTHER_TERMS, OUT_OF_RANGE = 0, 2, 3

local clock = redis.call('TIME')
local seconds, micros = tonumber(clock[1]), tonumber(clock[2])
local now = seconds * 1000000 + micros
local fmod, format, match = math.fmod, string.format, string.match

-- How states are kept. Each makes its functions when it is first asked for: a script makes all of
-- its functions anew whenever it runs, and most runs need one shape.
local shapes = {}

-- tostring keeps 14 digits.
local function digits(number)
  return format('%.0f', number)
end

local function floor_div(a, b)
  return (a - fmod(a, b)) / b
end

local function ceil_div(a, b)
  local rest = fmod(a, b)
  if rest > 0 then return (a - rest) / b + 1 end
  return a / b
end

-- The millisecond at or after a time: a key may go then, not earlier.
local function milliseconds(at)
  return ceil_div(at, 1000)
end

-- a * b in pieces of 26 bits. REQUIRES: a, b <= 2^52.
local function product(a, b)
  local a_low, b_low = fmod(a, 67108864), fmod(b, 67108864)
  local a_high, b_high = (a - a_low) / 67108864, (b - b_low) / 67108864
  local low = a_low * b_low
  local low_rest = fmod(low, 67108864)
  local middle = a_high * b_low + a_low * b_high + (low - low_rest) / 67108864
  local middle_rest = fmod(middle, 67108864)
  return a_high * b_high + (middle - middle_rest) / 67108864, middle_rest, low_rest
end

-- Whether a * b <= c * d.
local function at_most(a, b, c, d)
  local high, middle, low = product(a, b)
  local high_most, middle_most, low_most = product(c, d)
  if high ~= high_most then return high < high_most end
  if middle ~= middle_most then return middle < middle_most end
  return low <= low_most
end
