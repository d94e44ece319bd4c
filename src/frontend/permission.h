// Permission: what a caller may do beside asking.
#pragma once

#include <cstdint>

namespace sluice {

// Refunds, resets and limits that the caller brings lift limits, and need leave.
enum class Permission : std::uint8_t { kAsk, kLift };

}  // namespace sluice
