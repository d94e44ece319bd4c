// OverrideLimits: the limits that callers bring with their requests.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "core/limit.h"
#include "gate/limit_place.h"
#include "gate/request.h"
#include "rules/rule_limit.h"
#include "sluice/charge.h"
#include "sluice/result.h"
#include "store/memory_store.h"
#include "store/remote.h"

namespace sluice {

// One limit of the store for each period, whatever the counts that callers ask for: a window's
// state is the number of units used, so a smaller count is the same window with units that must be
// left in it. Keys that are asked for with one count and then another keep what they used, and
// callers cannot fill the store with limits.
//
// At the memory cap a new key is refused: a state that it shares with others knows no small counts.
//
// Thread safety: after an AddTo that went well, reading from any thread.
class OverrideLimits {
 public:
  OverrideLimits();
  OverrideLimits(const OverrideLimits&) = delete;
  OverrideLimits& operator=(const OverrideLimits&) = delete;
  ~OverrideLimits() = default;

  // Makes the limits known to the store and, where there is one, to the remote, those that are not
  // yet; an error if there is no room for all of them. While the remote is away each node counts by
  // itself, up to what the caller says. REQUIRES: the same stores each time.
  Result<Done> AddTo(MemoryStore& store, const RemoteLimits* remote_limits, Time now);

  [[nodiscard]] const LimitPlace& PlaceOf(LimitOverride::Period period) const {
    return places_[static_cast<std::size_t>(period)];
  }
  // What answers call the limit.
  [[nodiscard]] const RuleLimit& NameOf(LimitOverride::Period period) const {
    return names_[static_cast<std::size_t>(period)];
  }

  // Units that must be left in the window, so that only `count` of them can be used.
  static Cost LeftAlone(const LimitOverride& limit) { return {kWindow - limit.count}; }
  // The decision as the caller's own limit would have made it.
  static void Restate(const LimitOverride& limit, Decision& decision);

 private:
  // Units of the windows in the store; the most that a caller can ask for.
  static constexpr std::int64_t kWindow = std::numeric_limits<std::uint32_t>::max();

  std::array<Limit, LimitOverride::kPeriods> limits_;
  std::array<RuleLimit, LimitOverride::kPeriods> names_;
  std::array<LimitPlace, LimitOverride::kPeriods> places_;
  std::size_t added_ = 0;  // how many of them the store knows
};

}  // namespace sluice
