-- The beginning of the script: the current time, and helpers for numbers.
--
-- All numbers are integers below 2^53, which a double holds exactly. Times are microseconds since
-- 1970, except for states that are one time, which is exact to the tick.

local DECIDED, OTHER_TERMS, OUT_OF_RANGE = 0, 2, 3

local clock = redis.call('TIME')
local seconds, micros = tonumber(clock[1]), tonumber(clock[2])
local now = seconds * 1000000 + micros
local fmod, format, match = math.fmod, string.format, string.match

-- Ways to store a state, by letter. Each entry creates its functions when it is first used: a
-- script creates all of its functions again on every run, and most runs need only one shape.
local shapes = {}

-- tostring keeps only 14 digits.
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

-- Returns the first millisecond at or after a time: a key may expire then, not earlier.
local function milliseconds(at)
  return ceil_div(at, 1000)
end

-- Returns a * b in three pieces of 26 bits, highest first. REQUIRES: a, b <= 2^52.
local function product(a, b)
  local a_low, b_low = fmod(a, 67108864), fmod(b, 67108864)
  local a_high, b_high = (a - a_low) / 67108864, (b - b_low) / 67108864
  local low = a_low * b_low
  local low_rest = fmod(low, 67108864)
  local middle = a_high * b_low + a_low * b_high + (low - low_rest) / 67108864
  local middle_rest = fmod(middle, 67108864)
  return a_high * b_high + (middle - middle_rest) / 67108864, middle_rest, low_rest
end

-- Returns whether a * b <= c * d.
local function at_most(a, b, c, d)
  local high, middle, low = product(a, b)
  local max_high, max_middle, max_low = product(c, d)
  if high ~= max_high then return high < max_high end
  if middle ~= max_middle then return middle < max_middle end
  return low <= max_low
end
