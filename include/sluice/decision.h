// Decision: the answer for one charge.
#pragma once

#include <cstdint>

#include "sluice/time.h"

namespace sluice {

// Units one request takes. Zero is a question that always passes and changes nothing.
//
// Invariant: units >= 0. Whoever reads a cost from outside refuses a negative one.
struct Cost {
  std::int64_t units = 1;
};

// `retry_after` of a request that no wait will help.
inline constexpr Nanos kNever = Nanos::max();

// `limit` and `remaining` of an algorithm that has no such number (pacer).
inline constexpr std::int64_t kNoUnits = -1;

// Where a decision came from.
enum class Source : std::uint8_t {
  kMemory,    // the key's own state in the memory store
  kOverflow,  // a state shared with other keys, because the memory cap is reached
  kRemote,    // the key's own state in Redis
  kLease,     // units that were taken from the remote in advance
  kEventual,  // own counts and those last known of all other nodes
  kEmptyKey,  // the remote said that there is not enough, and until when
  kFallback,  // this node's share, because the remote is away
};

// The answer for one charge. A plain value: copy it freely, from any thread.
//
// Rounding: times round up to the next nanosecond, units round down, so that a caller who waits
// exactly `retry_after` passes and one who asks for `remaining` units gets them.
struct Decision {
  bool allowed = true;
  Source source = Source::kMemory;
  std::int64_t limit = 0;      // most units one request can ever get, or kNoUnits
  std::int64_t remaining = 0;  // most units that would pass right now, after this call
  Nanos retry_after{0};        // refused: until the same request would pass, or kNever; else 0
  Nanos reset_after{0};        // until the key is as if never used; 0 if it is now
  Nanos wait{0};               // allowed: delay to observe before going ahead

  friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace sluice
