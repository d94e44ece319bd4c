// Limits in the messages of Envoy's rate limit service.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/limit/limit.h"
#include "gate/request.h"
#include "wire/grpc/rls_messages.h"

namespace sluice {

// Converts COUNT per PERIOD to a count per unit, or per multiple of a unit: 100 in 90 s is 100 in
// 90 seconds. A period that is not a whole number of seconds has no unit. Numbers that are too
// large are reduced to the maximum of their field.
RlsLimit TellLimit(const Limit& limit, std::string_view name);

// Reads the limit of a descriptor; nothing if its period is not a single unit.
std::optional<LimitOverride> ReadOverride(const RlsOverride& brought);

// Clamps a number to the range of a field in the reply.
std::uint32_t CutToUint32(std::int64_t number);

}  // namespace sluice
