// The Lua scripts that keep states in Redis.
#pragma once

#include "redis/redis_script.h"

namespace sluice {

// Decides one request over up to 64 keys (scripts/decide.lua).
const RedisScript& DecideScript();

// Stores states for terms that a key does not know yet (scripts/new_terms.lua).
const RedisScript& NewTermsScript();

// Acquires, renews or releases one permit (scripts/permit.lua).
const RedisScript& PermitScript();

// Counts the live nodes of a fleet (scripts/nodes.lua).
const RedisScript& NodesScript();

}  // namespace sluice
