-- A counter per part of the period that has units, oldest first. Numbers: INDEX UNITS STEP UNITS
-- STEP UNITS ...: the index of the first part since 1970, then the difference to the next index.
--
-- Terms: COUNT, the length of a part, the number of parts, and how the oldest part counts: s in
-- full, l not at all, w in proportion to what is in view. Numbers of an item: what must be free,
-- what it adds.

shapes.s = function()

local sliding_buckets = {numbers = 2}

-- Computes the units in full view, and those of the oldest part.
local function view(state)
  local full = 0
  for index, units in pairs(state.parts) do
    if index > state.index - state.buckets then full = full + units end
  end
  state.full, state.oldest = full, state.parts[state.index - state.buckets] or 0
end

-- Sets the units of a part as they were stored.
local function put(state, index, units)
  state.parts[index] = units
  -- A state that is ahead of the time is read as at the start of its newest part.
  state.index = math.max(state.index, index)
end

function sliding_buckets.load(state, at)
  state.max, state.part = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  state.buckets, state.rule = tonumber(ARGV[at + 2]), ARGV[at + 3]
  state.parts, state.index = {}, floor_div(now, state.part)
  local fault, index, units, others = fetch(state)
  if index then
    put(state, index, units)
    for step, held in string.gmatch(others, '(%d+) (%d+)') do
      index = index + tonumber(step)
      put(state, index, tonumber(held))
    end
  end
  view(state)
  return at + 4, fault
end

function sliding_buckets.asks(state, at)
  local asked = tonumber(ARGV[at])
  if asked == 0 then return true end
  local room = state.max - state.full - asked
  if room < 0 then return false end
  if state.rule == 'l' then return true end
  if state.rule == 's' then return state.oldest <= room end
  local in_view = math.min(state.part, (state.index + 1) * state.part - now)
  return at_most(state.oldest, in_view, room, state.part)
end

local function add(state, units)
  state.parts[state.index] = (state.parts[state.index] or 0) + units
  view(state)
end

function sliding_buckets.take(state, at)
  add(state, tonumber(ARGV[at + 1]))
end

-- Removes units from the parts of a range, one part after the other.
local function drop(state, units, first, last, step)
  for index = first, last, step do
    local held = state.parts[index] or 0
    local dropped = math.min(units, held)
    if dropped > 0 then
      state.parts[index] = held - dropped
      units = units - dropped
    end
    if units == 0 then return end
  end
end

function sliding_buckets.debt(state, at)
  local units = math.min(tonumber(ARGV[at + 1]), state.max)
  local beyond = state.full + units - state.max
  if beyond > 0 then drop(state, beyond, state.index - state.buckets + 1, state.index, 1) end
  add(state, units)
end

function sliding_buckets.refund(state, at)
  drop(state, tonumber(ARGV[at + 1]), state.index, state.index - state.buckets, -1)
  view(state)
end

function sliding_buckets.save(state)
  local indexes, texts, unused = {}, {}, 0
  for index, units in pairs(state.parts) do
    if units > 0 and index >= state.index - state.buckets then indexes[#indexes + 1] = index end
  end
  table.sort(indexes)
  for i = 1, #indexes do
    local step = indexes[i] - (indexes[i - 1] or 0)
    texts[i] = digits(step) .. ' ' .. digits(state.parts[indexes[i]])
  end
  if #indexes > 0 then
    local in_view = state.buckets
    if state.rule ~= 'l' then in_view = in_view + 1 end
    unused = milliseconds((indexes[#indexes] + in_view) * state.part)
  else
    texts[1] = '0 0'
  end
  keep(state, table.concat(texts, ' '), unused)
end

return sliding_buckets
end
