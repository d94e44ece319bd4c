-- Gives terms that a key has not met a state there (states.lua), as far as its first terms are
-- still those that were answered.
--
-- KEYS: for each key its name, and where the state of the terms lies beside it; of new first terms,
-- where that of the old ones will lie. ARGV: for each what is done, the tag of the first terms,
-- that of the terms, their state as converted, the millisecond from which on that is as if unused,
-- and KEEP of the first terms, if only others ask for them.
--
--   first    they are more lenient: their state becomes that of the key, the one before lies beside
--   beside   they are not: their state lies beside, unless there is one
--   alone    the first terms are over: what lies beside becomes the state of the key
--
-- Answers how many keys were changed.

-- REQUIRES: no state that lies beside the key is kept for longer than `unused`, or the key is.
local function set(key, text, unused)
  if unused <= now_ms then return redis.call('DEL', key) end
  redis.call('SET', key, text, 'PXAT', digits(unused))
end

local changed = 0
for i = 1, #KEYS, 2 do
  local key, side = KEYS[i], KEYS[i + 1]
  local place = (i - 1) / 2 * 6
  local kind, old, tag, text, unused, kept = unpack(ARGV, place + 1, place + 6)
  local value = redis.call('GET', key)
  if value and match(value, '^%S+') == old then
    local before, keep, tags = match(value, '^([^|]*)|?(%d*)(.*)$')
    local last = now_ms + redis.call('PTTL', key)
    unused = tonumber(unused)
    if kind == 'beside' then
      if not redis.call('GET', side) then set(side, text, unused) end
      if keep == '' then keep = kept end
      set(key, before .. '|' .. keep .. with_tag(key, tags, tag), math.max(last, unused))
    else
      if kind == 'first' then
        set(side, before, last)
        tags = with_tag(key, tags, old)
      else
        text = redis.call('GET', side) or text
        redis.call('DEL', side)
      end
      local others = ''
      for each in string.gmatch(tags, ' %S+') do
        if each ~= ' ' .. tag then others = others .. each end
      end
      if others ~= '' or kept ~= '' then text = text .. '|' .. kept .. others end
      set(key, text, math.max(last, unused))
    end
    changed = changed + 1
  end
end
return changed
