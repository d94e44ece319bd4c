// What a decision must know of a log that stays in Redis.
//
// A log may hold millions of entries; a decision reads how many units are in view, when the newest
// and the oldest of them were charged, and when the one that must leave before a request passes.
// That one is known by its depth: how many units are newer. A cost passes once all units of depth
// COUNT - cost and more are past; where units are recorded first, everything lies deeper by as
// many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/sliding_log.h"
#include "remote/script_request.h"

namespace sluice {

// Depths of the units whose times the items of a key need; kNone for none.
//
// Invariant: first <= second unless one of them is kNone.
struct LogPlan {
  static constexpr std::int64_t kNone = -1;

  std::int64_t first = kNone;
  std::int64_t second = kNone;
};

// REQUIRES: the key has a sliding_log; nothing must be left of one with count_refused.
LogPlan PlanLog(const ScriptCall& call, std::size_t key);

// What the script tells of a log that is not empty.
struct LogTold {
  struct Unit {
    std::int64_t depth = LogPlan::kNone;
    Time at{};  // read only where the log has units of this depth
  };

  Unit newest{0};
  Unit first;
  Unit second;
  Unit oldest;             // its depth is units - 1
  std::int64_t units = 0;  // in view
};

// The entries of a log of as many units, with those that are known at their times.
std::vector<LogEntry> LogLike(const LogTold& told);

}  // namespace sluice
