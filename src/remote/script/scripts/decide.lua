-- Decides one request: either all of its charges are taken, or none.
--
-- KEYS: the keys, each once. ARGV: for each key its shape, the tag of its terms and the terms as
-- its shape needs them; then items: the operation, the key's index in KEYS, the enforcement and the
-- numbers of the shape. Debts come before checks.
--
-- A state beside another comes before it in KEYS. The arguments of the other one, the state of
-- first terms, begin with "&", the index of the state beside it, the number of milliseconds for
-- which the terms are kept after their last own request (states.lua), and their expiry as known
-- from other keys. An item of first terms comes directly before that of the state beside it: both
-- pass, or neither does.
--
--   c  take it if the request goes ahead        d  take it in any case
--   r  like c, and record a refusal             f  refund
--   p  only read                                x  reset the key
--
-- The enforcement: 0 none, 1 enforced, 2 quota, 3 both. For f: the time from which on the refund
-- does nothing, 0 for none.
--
-- Returns {status, seconds, microseconds, the previous state of each key}. Status 0: refused. 1:
-- went ahead. 2: a state has other terms, or the key does not know the terms of the state beside
-- it. 3: the time is outside of the calendar windows that were passed. With 2 and 3 nothing was
-- changed.

local states, replies, at, problem = {}, {DECIDED, seconds, micros}, 1, DECIDED
local made = {}
for i = 1, #KEYS do
  local letter, fault, own, span, till = ARGV[at], nil, false, 0, 0
  if letter == '&' then
    own = states[tonumber(ARGV[at + 1])]
    span, till = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
    at = at + 4
    letter = ARGV[at]
  end
  local shape = made[letter]
  if not shape then
    shape = shapes[letter]()
    made[letter] = shape
  end
  -- Create all fields at once, so that the table does not grow later.
  local state = {key = KEYS[i], shape = shape, tag = ARGV[at + 1], before = '', changed = false,
                 op = false, numbers = 0, passes = false, units = 0, more = '', own = own,
                 span = span, till = till, first = false, unused = 0}
  at, fault = shape.load(state, at + 2)
  if own then
    own.first = state
    local is_new = own.before == '' and state.before ~= '' and not has_tag(state.more, own.tag)
    if is_new then fault = OTHER_TERMS end
  end
  if fault > problem then problem = fault end
  states[i] = state
end

local refused, quota_asked, quota_passed = false, false, false
while problem == DECIDED and at <= #ARGV do
  local op, state, enforcement = ARGV[at], states[tonumber(ARGV[at + 1])], ARGV[at + 2]
  local shape, numbers = state.shape, at + 3
  at = numbers + shape.numbers
  if op == 'x' then
    forget(state)
    state.changed = false
  elseif op == 'd' then
    shape.debt(state, numbers)
    state.changed = true
  elseif op == 'f' then
    if enforcement == '0' or now < tonumber(enforcement) then
      shape.refund(state, numbers, tonumber(enforcement))
      state.changed = true
    end
  else
    local passes, first = shape.asks(state, numbers), state.first
    if first then
      passes = passes and first.passes
      first.passes = passes
    end
    state.op, state.numbers, state.passes = op, numbers, passes
    if enforcement == '1' or enforcement == '3' then refused = refused or not passes end
    if enforcement == '2' or enforcement == '3' then
      quota_asked = true
      quota_passed = quota_passed or passes
    end
  end
end

if problem == DECIDED then
  local ahead = not refused and (quota_passed or not quota_asked)
  for i = 1, #states do
    local state = states[i]
    local op, takes = state.op, ahead
    if not state.passes then takes = op == 'r' end
    if takes and op and op ~= 'p' then
      state.shape.take(state, state.numbers)
      state.changed = true
    end
    if state.changed then state.shape.save(state) end
  end
  replies[1] = ahead and 1 or 0
else
  replies[1] = problem
end
for i = 1, #states do replies[i + 3] = states[i].before end
return replies
