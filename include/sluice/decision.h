// Decision: the answer for one charge.
#pragma once

#include <cstdint>

#include "sluice/time.h"

namespace sluice {

// The units that one request takes. A cost of zero always passes and changes nothing.
//
// Invariant: units >= 0. Code that reads costs from outside rejects negative ones.
struct Cost {
  std::int64_t units = 1;
};

// The `retry_after` of a request that will never pass, however long the caller waits.
inline constexpr Nanos kNever = Nanos::max();

// The `limit` and `remaining` of an algorithm that has no such numbers (pacer).
inline constexpr std::int64_t kNoUnits = -1;

// The state that a decision was made from.
enum class Source : std::uint8_t {
  kMemory,    // the key's own state in the memory store
  kOverflow,  // a state shared with other keys because the memory limit has been reached
  kRemote,    // the key's own state in the remote store
  kLease,     // units taken from the remote store in advance
  kEventual,  // this node's counts plus the last known counts of all other nodes
  kEmptyKey,  // answered from the deny cache, without asking the remote store
  kFallback,  // this node's share, because the remote store is unavailable
};

// The answer for one charge. A plain value: copy it freely, from any thread.
//
// Rounding: times round up to the next nanosecond and units round down, so a caller that waits
// exactly `retry_after` passes, and one that asks for `remaining` units gets them.
struct Decision {
  bool allowed = true;
  Source source = Source::kMemory;
  std::int64_t limit = 0;      // maximum units one request can ever get, or kNoUnits
  std::int64_t remaining = 0;  // maximum units that would pass now, after this call, or kNoUnits
  Nanos retry_after{0};        // refused: until the same request would pass, or kNever; otherwise 0
  Nanos reset_after{0};        // until the key is as if never used; 0 if it already is
  Nanos wait{0};               // allowed: delay the caller must observe before it goes ahead

  friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace sluice
