-- Puts states in the place of others that were written under other terms, as far as nobody has
-- changed those since.
--
-- ARGV, for each key: how it is kept (v: one value, w: the hash of a sliding window, s: the hash of
-- sliding buckets), the state that decide.lua answered, the one to be ("" for none), and the
-- millisecond at which that is as if unused. Answers how many were replaced.

local function text_of(key, kind)
  if kind == 'v' then return redis.call('GET', key) end
  if kind == 'w' then
    local held = redis.call('HMGET', key, 't', 'e', 'p', 'c')
    return held[1] and table.concat(held, ' ')
  end
  local held, texts, tag = redis.call('HGETALL', key), {}, '?'
  for i = 1, #held, 2 do
    if tonumber(held[i]) then
      texts[#texts + 1] = held[i] .. ' ' .. held[i + 1]
    else
      tag = held[i + 1]
    end
  end
  table.sort(texts)
  return tag .. ' ' .. table.concat(texts, ' ')
end

local function put(key, kind, text, unused)
  if kind == 'v' then return redis.call('SET', key, text, 'PXAT', unused) end
  redis.call('DEL', key)
  local words = {}
  for word in string.gmatch(text, '%S+') do words[#words + 1] = word end
  if kind == 'w' then
    redis.call('HSET', key, 't', words[1], 'e', words[2], 'p', words[3], 'c', words[4])
  else
    redis.call('HSET', key, 't', unpack(words))
  end
  redis.call('PEXPIREAT', key, unused)
end

local replaced = 0
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
for i = 1, #KEYS do
  local kind, before, after, unused = unpack(ARGV, i * 4 - 3, i * 4)
  if text_of(KEYS[i], kind) == before then
    if after == '' or tonumber(unused) <= now then
      redis.call('DEL', KEYS[i])
    else
      put(KEYS[i], kind, after, unused)
    end
    replaced = replaced + 1
  end
end
return replaced
