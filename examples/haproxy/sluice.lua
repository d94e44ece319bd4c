-- An action that asks Sluice's forward auth about a request, for HAProxy 2.6 and later:
--
--   http-request lua.sluice http://127.0.0.1:8081/auth/DOMAIN open user-agent,x-api-key
--
-- A refusal goes to the client. The second word says what becomes of requests while Sluice is away:
-- `open` lets them pass, `closed` refuses them with 503. Sluice is away if it cannot be reached or
-- answers 5xx; every other answer but 200 is a refusal. The third word lists the headers of a
-- request that rules are about, in lower case; `-` is none. Only these are sent. What the answer to
-- an allowed request should say of limits is left in txn.sluice_ratelimit and txn.sluice_policy.

-- What Sluice is told of one request has at most this many bytes, well below HAProxy's buffers and
-- Sluice's `bounds.header_bytes`. Longer requests are refused: they could not be asked about.
local max_bytes = 12000

-- Maximum header lines that are sent to Sluice for one request, because HAProxy's client crashes on
-- more than about 95. Requests with more are refused: the app may read a line that was not sent.
local max_lines = 64

-- Returns all lines of a header, because the app may read any of them and Sluice refuses a request
-- whose lines differ. Several lines of cookies mean the same as one line with all of them.
local function lines_of(name, values)
  local lines = {}
  for i = 0, #values do lines[i + 1] = values[i] end
  if name == "cookie" then return { table.concat(lines, "; ") } end
  return lines
end

-- What Sluice is told of a request: what it asks for, who asks, and the headers that rules are
-- about. Returns also the status with which the request is refused if that is too much.
local function question(txn, names)
  local headers = {
    ["x-forwarded-method"] = { txn.f:method() },
    ["x-forwarded-uri"] = { txn.f:pathq() },
    ["x-forwarded-host"] = { txn.f:req_fhdr("host") },
    ["x-forwarded-for"] = { txn.f:src() },
  }
  local sent = txn.http:req_get_headers()
  for name in names:gmatch("[^,]+") do
    if sent[name] then headers[name] = lines_of(name, sent[name]) end
  end
  local bytes, lines = 0, 0
  for name, values in pairs(headers) do
    for _, value in ipairs(values) do
      bytes = bytes + #name + #value + 4
      lines = lines + 1
    end
  end
  if bytes > max_bytes then return headers, 431 end
  if lines > max_lines then return headers, 400 end
  return headers, nil
end

-- The first value of a header of a reply, or nil.
local function first(reply, name)
  local values = reply.headers and reply.headers[name]
  return values and values[0]
end

local function refuse(txn, status, body, headers)
  local answer = txn:reply({ status = status, body = body })
  for name, value in pairs(headers) do answer:add_header(name, value) end
  txn:done(answer)
end

local function sluice(txn, url, away, names)
  local headers, status = question(txn, names)
  if status then return refuse(txn, status, "", {}) end
  -- Refusals by rules are 403 then, so that 5xx is a failure to answer.
  local reply = core.httpclient():get({ url = url .. "?deny=403", headers = headers })
  local status = reply.status or 0
  if status == 200 then
    local told = first(reply, "ratelimit")
    if told then
      txn:set_var("txn.sluice_ratelimit", told)
      txn:set_var("txn.sluice_policy", first(reply, "ratelimit-policy") or "")
    end
  elseif status >= 100 and status < 500 then
    local told = {}
    for _, name in ipairs({ "content-type", "ratelimit", "ratelimit-policy", "retry-after" }) do
      told[name] = first(reply, name)
    end
    local shown = tonumber(first(reply, "x-ratelimit-status")) or (status >= 400 and status or 403)
    refuse(txn, shown, reply.body, told)
  elseif away ~= "open" then
    refuse(txn, 503, "", {})
  end
end

core.register_action("sluice", { "http-req" }, sluice, 3)
