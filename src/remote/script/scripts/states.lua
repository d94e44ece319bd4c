-- A state stored as one text: "TAG NUMBERS", the tag of the terms that wrote it and the numbers of
-- the state.
--
-- For a while, nodes may have different terms. Then the key holds the state of its first terms, the
-- most lenient, and every request is charged there. Requests under other terms are also charged in
-- a state of their own, which is stored beside it under "KEY~TAG". The text of the first terms is
-- then longer: "TAG NUMBERS|KEEP TAG TAG". KEEP is the millisecond from which on these terms have
-- expired because only requests under other terms used them; it is empty if a request under these
-- terms came last. The tags of the states beside it follow. No state beside a key outlives the key.

-- The maximum number of tags; the latest are kept.
local MAX_BESIDE = 4

local now_ms = floor_div(now, 1000)

-- Reads a state. Returns a status, the first two numbers and the text of the others.
local function fetch(state)
  local value = redis.call('GET', state.key)
  if not value then return DECIDED end
  state.before = value
  local tag, first, second, others, more = match(value, '^(%S+) (%d+) (%d+) ?([%d ]*)(.*)$')
  if tag ~= state.tag then return OTHER_TERMS end
  if more ~= '' then
    state.more = more
    local keep = tonumber(match(more, '^|(%d+)'))
    if state.own and keep and math.max(keep, state.till) <= now_ms then return OTHER_TERMS end
  end
  return DECIDED, tonumber(first), tonumber(second), others
end

local function has_tag(tags, tag)
  return string.find(tags .. ' ', ' ' .. tag .. ' ', 1, true) ~= nil
end

-- Adds a tag to those of a key. If there are too many, the state of the oldest tag is deleted,
-- because a reset could not find it any more.
local function with_tag(key, tags, tag)
  if has_tag(tags, tag) then return tags end
  tags = tags .. ' ' .. tag
  local _, count = string.gsub(tags, ' ', '')
  if count > MAX_BESIDE then
    local dropped, rest = match(tags, '^ (%S+)(.*)$')
    redis.call('DEL', key .. '~' .. dropped)
    tags = rest
  end
  return tags
end

-- Returns the part after the numbers of first terms, for a request under them or under `own`.
local function more_of(state)
  local keep, tags = match(state.more, '^|(%d*)(.*)$')
  if not state.own then return '|' .. tags end
  if state.before == '' then
    keep = state.till
  else
    keep = tonumber(keep) or now_ms + state.span
    if keep <= now_ms then keep = state.till end
  end
  return '|' .. digits(keep) .. with_tag(state.key, tags or '', state.own.tag)
end

-- Writes a state that is as if unused from a millisecond on.
local function keep(state, numbers, unused)
  local text = state.tag .. ' ' .. numbers
  if state.own or state.more ~= '' then
    text = text .. more_of(state)
    unused = math.max(unused, now_ms + redis.call('PTTL', state.key))
    if state.own then unused = math.max(unused, state.own.unused) end
  end
  state.unused = unused
  if unused <= now_ms then return redis.call('DEL', state.key) end
  redis.call('SET', state.key, text, 'PXAT', digits(unused))
end

local function forget(state)
  redis.call('DEL', state.key)
  for tag in string.gmatch(state.more, ' (%S+)') do redis.call('DEL', state.key .. '~' .. tag) end
end
