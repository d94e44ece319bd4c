// Charge: so many units of one limit, for one key; and Veto, what its refusal means.
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

// What a refusal of one charge means for its request.
enum class Veto : std::uint8_t {
  kEnforce,  // the request is refused
  kShadow,   // nothing: decided and reported, not enforced
  kQuota,    // the request is refused if all charges of this kind are
  kDebt,     // never: the charge is taken in any case, below zero if need be
};

}  // namespace sluice
