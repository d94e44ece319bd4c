-- An action that asks Sluice's forward auth about a request, for HAProxy 2.6 and later:
--
--   http-request lua.sluice http://127.0.0.1:8081/auth/DOMAIN open
--
-- A refusal goes to the client. The last word says what becomes of requests while Sluice is away:
-- `open` lets them pass, `closed` refuses them with 503. What the answer to an allowed request
-- should say of limits is left in txn.sluice_ratelimit and txn.sluice_policy.

-- Headers that are of the connection or of the body, and those that only a proxy may set.
local withheld = {
  ["connection"] = true, ["content-length"] = true, ["expect"] = true, ["forwarded"] = true,
  ["host"] = true, ["keep-alive"] = true, ["te"] = true, ["transfer-encoding"] = true,
  ["upgrade"] = true, ["x-original-method"] = true, ["x-original-uri"] = true,
}

-- What Sluice is told of a request: its headers, what it asks for and who asks.
local function question(txn)
  local headers = {}
  for name, values in pairs(txn.http:req_get_headers()) do
    if not withheld[name] then headers[name] = values end
  end
  headers["x-forwarded-method"] = { txn.f:method() }
  headers["x-forwarded-uri"] = { txn.f:pathq() }
  headers["x-forwarded-host"] = { txn.f:req_fhdr("host") }
  headers["x-forwarded-for"] = { txn.f:src() }
  return headers
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

local function sluice(txn, url, away)
  -- Every refusal is 403 then, so whatever else is not 200 is a failure to answer.
  local reply = core.httpclient():get({ url = url .. "?deny=403", headers = question(txn) })
  if reply.status == 200 then
    local told = first(reply, "ratelimit")
    if told then
      txn:set_var("txn.sluice_ratelimit", told)
      txn:set_var("txn.sluice_policy", first(reply, "ratelimit-policy") or "")
    end
  elseif reply.status == 403 then
    local status = tonumber(first(reply, "x-ratelimit-status")) or 403
    local headers = {}
    for _, name in ipairs({ "content-type", "ratelimit", "ratelimit-policy", "retry-after" }) do
      headers[name] = first(reply, name)
    end
    refuse(txn, status, reply.body, headers)
  elseif away ~= "open" then
    refuse(txn, 503, "", {})
  end
end

core.register_action("sluice", { "http-req" }, sluice, 2)
