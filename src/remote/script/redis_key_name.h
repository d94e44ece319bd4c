// RedisKeyName: the name of a key in Redis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "store/fleet_key.h"

namespace sluice {

// "{ROUTE}KEY": 3 characters of route and 22 of key, both in base64url. In a cluster, the part in
// braces selects the slot.
inline constexpr std::size_t kRedisKeyNameSize = 27;

// Appends the prefix and the name. The name contains no caller-supplied text. REQUIRES: no brace in
// the prefix.
void AppendRedisKeyName(std::string_view prefix, const FleetKey& key, std::uint32_t route,
                        std::string& out);

}  // namespace sluice
