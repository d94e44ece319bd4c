-- A log in a sorted set: an entry for each time at which units were charged, which is its score.
--
-- An entry is called "TOTAL:UNITS", TOTAL being all units up to and with it, modulo 2^51. So no two
-- are called alike, and the units in view and the one that must leave next are found without
-- reading all.
--
-- Terms share a log: each sees its own COUNT and PERIOD of it. The first member, with the score -1,
-- is "pPERIOD:COUNT:UNTIL": what is kept for those that ask for most, and until when they count as
-- asking.
--
-- Terms: COUNT, PERIOD, min_gap, and the depths of two units whose times are asked for (-1: none).
-- Numbers of an item: what must be free, what it adds. Answers "NEWEST TIME TIME OLDEST UNITS".

shapes.l = function()

local sliding_log = {numbers = 2}

local TOTALS = 2251799813685248

-- Terms that ask for most and are silent for their period, and as long as a reload takes, still
-- count as asking.
local RELOAD = 60000000

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

-- The rank of the first entry that is newer than a period.
local function first_since(state, period)
  return redis.call('ZCOUNT', state.key, 0, digits(now - period)) + 1
end

function sliding_log.load(state, at)
  state.most, state.period = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  state.gap = tonumber(ARGV[at + 2])
  state.units, state.added, state.back = 0, 0, 0
  local head = redis.call('ZRANGE', state.key, 0, 0)[1]
  if not head then return at + 5, DECIDED end
  local kept, count, keeps = match(head, '^p(%d+):(%d+):(%d+)$')
  if not kept then
    state.before = head
    return at + 5, OTHER_TERMS
  end
  state.head, state.kept, state.count = head, tonumber(kept), tonumber(count)
  state.keeps = tonumber(keeps)
  -- Terms that ask for more take a log over as soon as they meet it, with the time it goes at; and
  -- they say now and then that they still do, whoever is refused.
  local asks_most = state.period >= state.kept or state.most >= state.count
  state.changed = state.period > state.kept or state.most > state.count or
                  (asks_most and state.keeps < now + state.kept + RELOAD)
  -- What was past under a shorter period stays so.
  local first = first_since(state, math.min(state.kept, state.period))
  local last = redis.call('ZCARD', state.key) - 1
  if first > last then return at + 5, DECIDED end
  state.oldest, state.newest = entry(state, first), entry(state, last)
  state.units = math.min(age(state, state.oldest) + state.oldest.units, state.count, state.most)
  state.newest_at = state.newest.at
  state.before = digits(state.newest_at) .. ' ' .. time_of(state, tonumber(ARGV[at + 3])) .. ' ' ..
                 time_of(state, tonumber(ARGV[at + 4])) .. ' ' ..
                 time_of(state, state.units - 1) .. ' ' .. digits(state.units)
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

-- From here on the log is seen as it is kept, not as under the terms. How many units that are.
local function see_all(state)
  if state.head and state.period < state.kept then
    local first, last = first_since(state, state.kept), redis.call('ZCARD', state.key) - 1
    if first <= last then state.oldest, state.newest = entry(state, first), entry(state, last) end
  end
  if not state.newest then return 0 end
  return math.min(age(state, state.oldest) + state.oldest.units, state.count)
end

local function take_back(state, held)
  local found = holding(state, state.back)
  redis.call('ZREMRANGEBYRANK', state.key, found.rank + 1, -1)
  local newer = age(state, found)
  local total = fmod(state.newest.total - state.back + TOTALS, TOTALS)
  if state.back > newer then replace(state, found, total, found.units - (state.back - newer)) end
  state.newest = entry(state, found.rank)
  state.oldest = entry(state, state.oldest.rank)
  trim(state, held - state.back)
end

local function add(state, held)
  local keep = math.min(held, state.count - state.added)
  local total = 0
  if keep > 0 then
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

-- What is kept from now on: for the terms, and for others that asked for more not long ago.
local function keep_for(state)
  local period, count, keeps = state.kept or 0, state.count or 0, state.keeps or 0
  if keeps <= now then period, count = 0, 0 end
  local asks_most = state.period >= period or state.most >= count
  period, count = math.max(period, state.period), math.max(count, state.most)
  local is_new = period ~= state.kept or count ~= state.count
  if asks_most and (is_new or keeps < now + period + RELOAD) then
    keeps = now + 2 * period + RELOAD
  end
  state.kept, state.count, state.keeps = period, count, keeps
end

function sliding_log.save(state)
  local held = see_all(state)
  keep_for(state)
  if held + state.added - state.back == 0 then return redis.call('DEL', state.key) end
  if state.added > 0 then
    add(state, held)
  elseif state.back > 0 then
    take_back(state, held)
  else
    trim(state, held)
  end
  local head = format('p%.0f:%.0f:%.0f', state.kept, state.count, state.keeps)
  if state.head ~= head then
    if state.head then redis.call('ZREM', state.key, state.head) end
    redis.call('ZADD', state.key, '-1', head)
  end
  local newest = redis.call('ZRANGE', state.key, -1, -1, 'WITHSCORES')[2]
  redis.call('PEXPIREAT', state.key, digits(milliseconds(tonumber(newest) + state.kept)))
end

return sliding_log
end
