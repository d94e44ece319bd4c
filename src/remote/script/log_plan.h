// Selects what a decision must know about a log that stays in Redis.
//
// A log may hold millions of entries. A decision reads how many units are in view, when the newest
// and the oldest of them were charged, and when the unit was charged that must expire before a
// request passes. That unit is known by its depth: the number of newer units. A cost passes once
// all units with a depth of COUNT - cost or more have expired; units recorded before the decision
// increase all depths by their number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/algorithm/sliding_log.h"
#include "remote/script/script_request.h"

namespace sluice {

// Depths of the units whose times a key's items need; kNone if not needed.
//
// Invariant: first <= second unless one of them is kNone.
struct LogPlan {
  static constexpr std::int64_t kNone = -1;

  std::int64_t first = kNone;
  std::int64_t second = kNone;
};

// Plans the depths for a key. REQUIRES: the key has a sliding_log; with count_refused no item has
// min_remaining.
LogPlan PlanLog(const ScriptCall& call, std::size_t key);

// The script's report about a log that is not empty.
struct LogTold {
  struct Unit {
    std::int64_t depth = LogPlan::kNone;
    Time at{};  // valid only if the log has units at this depth
  };

  Unit newest{0};
  Unit first;
  Unit second;
  Unit oldest;             // its depth is units - 1
  std::int64_t units = 0;  // in view
};

// Returns a log with this number of units, in which the reported units have their times.
std::vector<LogEntry> LogLike(const LogTold& told);

}  // namespace sluice
