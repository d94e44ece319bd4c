-- A log in a sorted set: an entry for each time at which units were charged, which is its score.
--
-- An entry is called "TOTAL:UNITS", TOTAL being all units up to and with it, modulo 2^51. So no two
-- are called alike, and the units in view and the one that must leave next are found without
-- reading all. The first member, "pPERIOD" with the score -1, says under which period it was kept.
--
-- Terms: COUNT, PERIOD, min_gap, and the depths of two units whose times are asked for (-1: none).
-- Numbers of an item: what must be free, what it adds. Answers "NEWEST TIME TIME UNITS".

shapes.l = function()

local sliding_log = {numbers = 2}

local TOTALS = 2251799813685248

local function entry(state, rank)
  local found = redis.call('ZRANGE', state.key, rank, rank, 'WITHSCORES')
  local total, units = match(found[1], '^(%d+):(%d+)$')
  return {rank = rank, member = found[1], total = tonumber(total), units = tonumber(units),
          at = tonumber(found[2])}
end

-- How many units are newer than an entry.
local function age(state, found)
  return fmod(state.newest.total - found.total + TOTALS, TOTALS)
end

-- The entry that holds the unit of a depth. REQUIRES: there are as many units in view.
local function holding(state, depth)
  if age(state, state.oldest) <= depth then return state.oldest end
  local low, high, found = state.oldest.rank, state.newest.rank, state.newest
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    local tried = entry(state, middle)
    if age(state, tried) <= depth then high, found = middle, tried else low = middle end
  end
  return found
end

local function time_of(state, depth)
  if depth < 0 or depth >= state.units then return '0' end
  return digits(holding(state, depth).at)
end

local function replace(state, found, total, units)
  redis.call('ZREM', state.key, found.member)
  redis.call('ZADD', state.key, digits(found.at), digits(total) .. ':' .. digits(units))
end

function sliding_log.load(state, at)
  state.most, state.period = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  state.gap = tonumber(ARGV[at + 2])
  state.units, state.added, state.back = 0, 0, 0
  local head = redis.call('ZRANGE', state.key, 0, 0)[1]
  if not head then return at + 5, DECIDED end
  local kept = tonumber(match(head, '^p(%d+)$'))
  if not kept then
    state.before = head
    return at + 5, OTHER_TERMS
  end
  state.head = head
  -- What was past under a shorter period stays so.
  local past = now - math.min(kept, state.period)
  local first = redis.call('ZCOUNT', state.key, 0, digits(past)) + 1
  local last = redis.call('ZCARD', state.key) - 1
  -- New terms take a log over as soon as they meet it, with the time it goes at.
  state.changed = kept ~= state.period
  if first > last then return at + 5, DECIDED end
  state.oldest, state.newest = entry(state, first), entry(state, last)
  local held = age(state, state.oldest) + state.oldest.units
  state.units = math.min(held, state.most)
  state.newest_at = state.newest.at
  state.changed = state.changed or held > state.most
  state.before = digits(state.newest_at) .. ' ' .. time_of(state, tonumber(ARGV[at + 3])) .. ' ' ..
                 time_of(state, tonumber(ARGV[at + 4])) .. ' ' .. digits(state.units)
  return at + 5, DECIDED
end

function sliding_log.asks(state, at)
  local asked = tonumber(ARGV[at])
  if asked == 0 then return true end
  if state.units > 0 and state.gap > 0 and now - state.newest_at < state.gap then return false end
  return state.units + asked <= state.most
end

-- The newest COUNT units are kept, whoever is refused.
function sliding_log.take(state, at)
  local units = math.min(tonumber(ARGV[at + 1]), state.most)
  state.added = math.min(state.added + units, state.most)
  state.units = math.min(state.units + units, state.most)
  state.newest_at = math.max(now, state.newest_at or now)
end

sliding_log.debt = sliding_log.take

function sliding_log.refund(state, at)
  state.back = math.min(tonumber(ARGV[at + 1]), state.units)
  state.units = state.units - state.back
end

-- Drops what is past, and the oldest units beyond `keep`. REQUIRES: keep > 0 and an entry in view.
local function trim(state, keep)
  local found = holding(state, keep - 1)
  if found.rank > 1 then redis.call('ZREMRANGEBYRANK', state.key, 1, found.rank - 1) end
  local units = keep - age(state, found)
  if units < found.units then replace(state, found, found.total, units) end
end

local function take_back(state)
  local found = holding(state, state.back)
  redis.call('ZREMRANGEBYRANK', state.key, found.rank + 1, -1)
  local newer = age(state, found)
  local total = fmod(state.newest.total - state.back + TOTALS, TOTALS)
  if state.back > newer then replace(state, found, total, found.units - (state.back - newer)) end
  state.newest = entry(state, found.rank)
  state.oldest = entry(state, state.oldest.rank)
  trim(state, state.units)
end

local function add(state)
  local keep = state.most - state.added
  local total = 0
  if state.newest and keep > 0 then
    trim(state, keep)
    state.newest = entry(state, -1)
    total = state.newest.total
  else
    redis.call('DEL', state.key)
    state.newest, state.head = nil, nil
  end
  total = fmod(total + state.added, TOTALS)
  -- A log ahead of the time stays in order: what comes late counts with its newest entry.
  if state.newest and state.newest.at >= now then
    replace(state, state.newest, total, state.newest.units + state.added)
  else
    redis.call('ZADD', state.key, digits(now), digits(total) .. ':' .. digits(state.added))
  end
end

function sliding_log.save(state)
  if state.units == 0 then return redis.call('DEL', state.key) end
  if state.added > 0 then add(state) else take_back(state) end
  local head = 'p' .. digits(state.period)
  if state.head ~= head then
    if state.head then redis.call('ZREM', state.key, state.head) end
    redis.call('ZADD', state.key, '-1', head)
  end
  local newest = redis.call('ZRANGE', state.key, -1, -1, 'WITHSCORES')[2]
  redis.call('PEXPIREAT', state.key, milliseconds(tonumber(newest) + state.period))
end

return sliding_log
end
