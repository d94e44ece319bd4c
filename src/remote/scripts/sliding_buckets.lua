-- A counter for each part of the period in a hash: its index since 1970 and its units; t the tag.
--
-- Terms: COUNT, the length of a part, how many of them, and what counts of the oldest: s all of it,
-- l nothing, w as much as is in view. Numbers of an item: what must be free, what it adds.

shapes.s = function()

local sliding_buckets = {numbers = 2}

-- The part that holds the time, and the units of all that are in view.
local function view(state)
  local full = 0
  for index, units in pairs(state.parts) do
    if index > state.index - state.buckets then full = full + units end
  end
  state.full, state.oldest = full, state.parts[state.index - state.buckets] or 0
end

function sliding_buckets.load(state, at)
  state.most, state.part = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  state.buckets, state.rule = tonumber(ARGV[at + 2]), ARGV[at + 3]
  state.parts, state.stale, state.written = {}, {}, {}
  state.index = floor_div(now, state.part)
  local held = redis.call('HGETALL', state.key)
  if #held == 0 then
    view(state)
    return at + 4, DECIDED
  end
  local texts, tag = {}, nil
  for i = 1, #held, 2 do
    local index = tonumber(held[i])
    if index then
      state.parts[index] = tonumber(held[i + 1])
      -- A state ahead of the time is read as at the start of its newest part.
      state.index = math.max(state.index, index)
      texts[#texts + 1] = held[i] .. ' ' .. held[i + 1]
    else
      tag = held[i + 1]
    end
  end
  -- In one order, so that the same state is the same text.
  if tag ~= state.tag then table.sort(texts) end
  state.before = (tag or '?') .. ' ' .. table.concat(texts, ' ')
  if tag ~= state.tag then return at + 4, OTHER_TERMS end
  for index in pairs(state.parts) do
    if index < state.index - state.buckets then state.stale[#state.stale + 1] = index end
  end
  for i = 1, #state.stale do state.parts[state.stale[i]] = nil end
  view(state)
  return at + 4, DECIDED
end

function sliding_buckets.asks(state, at)
  local asked = tonumber(ARGV[at])
  if asked == 0 then return true end
  local room = state.most - state.full - asked
  if room < 0 then return false end
  if state.rule == 'l' then return true end
  if state.rule == 's' then return state.oldest <= room end
  local in_view = math.min(state.part, (state.index + 1) * state.part - now)
  return at_most(state.oldest, in_view, room, state.part)
end

local function add(state, units)
  state.parts[state.index] = (state.parts[state.index] or 0) + units
  state.written[state.index] = true
  view(state)
end

function sliding_buckets.take(state, at)
  add(state, tonumber(ARGV[at + 1]))
end

-- Takes units from the parts of a range, one after the other.
local function drop(state, units, first, last, step)
  for index = first, last, step do
    local held = state.parts[index] or 0
    local dropped = math.min(units, held)
    if dropped > 0 then
      state.parts[index] = held - dropped
      state.written[index] = true
      units = units - dropped
    end
    if units == 0 then return end
  end
end

function sliding_buckets.debt(state, at)
  local units = math.min(tonumber(ARGV[at + 1]), state.most)
  local beyond = state.full + units - state.most
  if beyond > 0 then drop(state, beyond, state.index - state.buckets + 1, state.index, 1) end
  add(state, units)
end

function sliding_buckets.refund(state, at)
  drop(state, tonumber(ARGV[at + 1]), state.index, state.index - state.buckets, -1)
  view(state)
end

function sliding_buckets.save(state)
  local newest = -1
  for index, units in pairs(state.parts) do
    if units > 0 then newest = math.max(newest, index) end
  end
  if newest < 0 then return redis.call('DEL', state.key) end
  for i = 1, #state.stale do redis.call('HDEL', state.key, digits(state.stale[i])) end
  for index in pairs(state.written) do
    if state.parts[index] > 0 then
      redis.call('HSET', state.key, digits(index), digits(state.parts[index]))
    else
      redis.call('HDEL', state.key, digits(index))
    end
  end
  redis.call('HSET', state.key, 't', state.tag)
  local in_view = state.buckets
  if state.rule ~= 'l' then in_view = in_view + 1 end
  redis.call('PEXPIREAT', state.key, milliseconds((newest + in_view) * state.part))
end

return sliding_buckets
end
