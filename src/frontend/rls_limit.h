// Limits as Envoy's rate limit service tells and brings them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/limit.h"
#include "gate/request.h"
#include "wire/rls_messages.h"

namespace sluice {

// COUNT in PERIOD as so many a unit, or a multiple of it: 100 in 90 s is 100 in 90 seconds. A
// period that is no whole number of seconds has no unit. What is too large is cut to the largest
// number there is.
RlsLimit TellLimit(const Limit& limit, std::string_view name);

// The limit that a descriptor brings; nothing where its period is no single unit.
std::optional<LimitOverride> ReadOverride(const RlsOverride& brought);

// The most that a number of the reply can say.
std::uint32_t CutToUint32(std::int64_t number);

}  // namespace sluice
