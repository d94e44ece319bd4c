-- A log in a sorted set. There is one entry per time at which units were charged; the time is its
-- score.
--
-- The member is "TOTAL:UNITS". TOTAL is the sum of all units up to and including this entry, modulo
-- 2^51. So members are unique, and the units in view and the unit that must expire next are found
-- without reading the whole log.
--
-- Different terms share one log: each sees its own COUNT and PERIOD of it. The first member, with
-- the score -1, is "pPERIOD:COUNT:UNTIL": what is kept for the terms that need most, and until when
-- they count as in use.
--
-- Terms: COUNT, PERIOD, min_gap, and the depths of two units whose times are needed (-1: none).
-- Numbers of an item: what must be free, what it adds. Reports "NEWEST TIME TIME OLDEST UNITS".

shapes.l = function()

local sliding_log = {numbers = 2}

local TOTALS = 2251799813685248

-- The terms that need most still count as in use after a silence of their period plus the time that
-- a reload takes, in microseconds.
local RELOAD = 60000000

local function entry(state, rank)
  local found = redis.call('ZRANGE', state.key, rank, rank, 'WITHSCORES')
  local total, units = match(found[1], '^(%d+):(%d+)$')
  return {rank = rank, member = found[1], total = tonumber(total), units = tonumber(units),
          at = tonumber(found[2])}
end

-- Returns how many units are newer than an entry.
local function age(state, found)
  return fmod(state.newest.total - found.total + TOTALS, TOTALS)
end

-- Returns the entry that holds the unit at a depth. REQUIRES: more than `depth` units are in view.
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

-- Returns the rank of the first entry that is newer than a period.
local function first_since(state, period)
  return redis.call('ZCOUNT', state.key, 0, digits(now - period)) + 1
end

function sliding_log.load(state, at)
  state.max, state.period = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
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
  -- Terms that need more take over the log as soon as they see it, with the time it is kept. From
  -- time to time they record that they are still in use, even if the request is refused.
  local asks_for_most = state.period >= state.kept or state.max >= state.count
  state.changed = state.period > state.kept or state.max > state.count or
                  (asks_for_most and state.keeps < now + state.kept + RELOAD)
  -- Units that have expired under a shorter period stay expired.
  local first = first_since(state, math.min(state.kept, state.period))
  local last = redis.call('ZCARD', state.key) - 1
  if first > last then return at + 5, DECIDED end
  state.oldest, state.newest = entry(state, first), entry(state, last)
  state.units = math.min(age(state, state.oldest) + state.oldest.units, state.count, state.max)
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
  return state.units + asked <= state.max
end

-- Keeps the newest COUNT units, even if the request is refused.
function sliding_log.take(state, at)
  local units = math.min(tonumber(ARGV[at + 1]), state.max)
  state.added = math.min(state.added + units, state.max)
  state.units = math.min(state.units + units, state.max)
  state.newest_at = math.max(now, state.newest_at or now)
end

sliding_log.debt = sliding_log.take

function sliding_log.refund(state, at)
  state.back = math.min(tonumber(ARGV[at + 1]), state.units)
  state.units = state.units - state.back
end

-- Drops expired entries, and the oldest units beyond `keep`. REQUIRES: keep > 0 and an entry in
-- view.
local function trim(state, keep)
  local found = holding(state, keep - 1)
  if found.rank > 1 then redis.call('ZREMRANGEBYRANK', state.key, 1, found.rank - 1) end
  local units = keep - age(state, found)
  if units < found.units then replace(state, found, found.total, units) end
end

-- From here on the log is seen as it is kept, not as under the terms. Returns its number of units.
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
  -- A log that is ahead of the time stays in order: a late charge is added to its newest entry.
  if state.newest and state.newest.at >= now then
    replace(state, state.newest, total, state.newest.units + state.added)
  else
    redis.call('ZADD', state.key, digits(now), digits(total) .. ':' .. digits(state.added))
  end
end

-- Determines what is kept from now on: for these terms, and for terms in recent use that need more.
local function keep_for(state)
  local period, count, keeps = state.kept or 0, state.count or 0, state.keeps or 0
  if keeps <= now then period, count = 0, 0 end
  local asks_for_most = state.period >= period or state.max >= count
  period, count = math.max(period, state.period), math.max(count, state.max)
  local is_new = period ~= state.kept or count ~= state.count
  if asks_for_most and (is_new or keeps < now + period + RELOAD) then
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
