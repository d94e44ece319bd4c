-- Decides one request: all of its charges are taken, or none.
--
-- KEYS: the keys, each once. ARGV: for each key its shape, the tag of its terms and what its shape
-- asks for; then items: what is done, the place of the key in KEYS, the veto and the numbers of the
-- shape. Debts come before checks.
--
-- A state beside another stands before it. What is said of the other, of first terms, begins with
-- "&", the place of the one beside it, for how many milliseconds the terms are kept after their own
-- asked (states.lua), and until when they are as far as is known of other keys.
-- An item of the first stands right before that of the one beside it: both pass, or none does.
--
--   c  take it if the request goes ahead        d  take it in any case
--   r  so, and record it where it is refused    f  give back
--   p  only ask                                 x  forget the key
--
-- The veto: 0 none, 1 enforced, 2 quota, 3 both. Of f: the time from which on it changes nothing, 0
-- for none.
--
-- Answers {status, seconds, microseconds, the state of each key as it was}. Status 0: refused, 1:
-- went ahead, 2: a state is of other terms, or the key has not met the terms of one beside it, 3:
-- the time is outside of the windows that were handed over. With 2 and 3 nothing was changed.

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
  -- As large at once as the shapes make it.
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
  local op, state, veto = ARGV[at], states[tonumber(ARGV[at + 1])], ARGV[at + 2]
  local shape, numbers = state.shape, at + 3
  at = numbers + shape.numbers
  if op == 'x' then
    forget(state)
    state.changed = false
  elseif op == 'd' then
    shape.debt(state, numbers)
    state.changed = true
  elseif op == 'f' then
    if veto == '0' or now < tonumber(veto) then
      shape.refund(state, numbers, tonumber(veto))
      state.changed = true
    end
  else
    local passes, first = shape.asks(state, numbers), state.first
    if first then
      passes = passes and first.passes
      first.passes = passes
    end
    state.op, state.numbers, state.passes = op, numbers, passes
    if veto == '1' or veto == '3' then refused = refused or not passes end
    if veto == '2' or veto == '3' then
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
