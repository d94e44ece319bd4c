// Charge: so many units of one limit, for one key.
#pragma once

#include <cstdint>
#include <string_view>

#include "sluice/decision.h"

namespace sluice {

// A limit that was added to a Limiter. Cheap to copy; means nothing to another Limiter.
struct LimitHandle {
  std::uint32_t index = 0;
};

// One charge. The key is any bytes; it is read during the call and not kept.
struct Charge {
  LimitHandle limit;
  std::string_view key;
  Cost cost{};
};

}  // namespace sluice
