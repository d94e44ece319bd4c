-- Stores states for terms that a key does not know yet (states.lua), if the key still has the first
-- terms that the decision script returned.
--
-- KEYS: for each key its name and the name of a state beside it: that of the new terms or, if these
-- become the first terms, that of the old ones. ARGV: for each key the operation, the tag of its
-- first terms, the tag of the new terms, their converted state, the millisecond from which on that
-- state is as if unused, and KEEP of the first terms if only nodes with other terms use them.
--
--   first    they are more lenient: their state becomes the key's, the previous one moves beside it
--   beside   they are not: their state is stored beside the key, unless there is one
--   alone    the first terms have expired: the state beside becomes the key's
--
-- Returns how many keys were changed.

-- REQUIRES: no state beside the key is kept longer than `unused`, or the key itself is.
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
