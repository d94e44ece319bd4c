// RedisKeyName: what a key is called in redis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "store/fleet_key.h"

namespace sluice {

// "{ROUTE}KEY": 3 characters of a route and 22 of a key, both base64url. What stands in braces
// chooses the slot of a cluster.
inline constexpr std::size_t kRedisKeyNameSize = 27;

// Appends the prefix and the name. Nothing of it is what callers wrote. REQUIRES: no brace in the
// prefix.
void AppendRedisKeyName(std::string_view prefix, const FleetKey& key, std::uint32_t route,
                        std::string& out);

}  // namespace sluice
