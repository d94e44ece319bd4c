// Charge: a number of units of one limit for one key. Enforcement: the effect of its refusal.
#pragma once

#include <cstdint>
#include <string_view>

#include "sluice/decision.h"

namespace sluice {

// Identifies a limit that was added to a Limiter. Cheap to copy; meaningless to another Limiter.
struct LimitHandle {
  std::uint32_t index = 0;
};

// One charge. The key may hold any bytes; they are read during the call and not kept.
struct Charge {
  LimitHandle limit;
  std::string_view key;
  Cost cost{};
};

// The effect that the refusal of one charge has on its request.
enum class Enforcement : std::uint8_t {
  kEnforce,  // the request is refused
  kShadow,   // none: the charge is decided and reported, not enforced
  kQuota,    // the request is refused only if all charges of this kind are
  kDebt,     // none: the charge is always taken, even below zero
};

}  // namespace sluice
