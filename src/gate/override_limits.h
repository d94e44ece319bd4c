// OverrideLimits: the limits that callers send with their requests.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "core/limit/limit.h"
#include "gate/limit_place.h"
#include "gate/request.h"
#include "rules/compile/rule_limit.h"
#include "sluice/charge.h"
#include "sluice/result.h"
#include "store/memory_store.h"
#include "store/remote_store.h"

namespace sluice {

// The store has one limit per period, whatever counts callers ask for: a window's state is the
// number of units used, so a smaller count is the same window with units that must remain in it.
// Keys that are charged with one count and then another keep their used units, and callers cannot
// fill the store with limits.
//
// At the memory cap a new key is refused, because a shared state does not know the smaller counts.
//
// Thread safety: after a successful AddTo, reading is safe from any thread.
class OverrideLimits {
 public:
  OverrideLimits();
  OverrideLimits(const OverrideLimits&) = delete;
  OverrideLimits& operator=(const OverrideLimits&) = delete;
  ~OverrideLimits() = default;

  // Adds the limits that are not added yet to the store and, if there is one, to the remote store.
  // Returns an error if there is no room for all of them. While the remote store is unavailable
  // each node counts on its own, up to the caller's count. REQUIRES: the same stores each time.
  Result<Done> AddTo(MemoryStore& store, const RemoteLimits* remote_limits, Time now);

  [[nodiscard]] const LimitPlace& PlaceOf(LimitOverride::Period period) const {
    return places_[static_cast<std::size_t>(period)];
  }
  // Returns the limit as decisions report it.
  [[nodiscard]] const RuleLimit& NameOf(LimitOverride::Period period) const {
    return names_[static_cast<std::size_t>(period)];
  }

  // Returns the units that must remain in the window, so that only `count` of them can be used.
  static Cost MinRemaining(const LimitOverride& limit) { return {kWindow - limit.count}; }
  // Rewrites the decision as the caller's own limit would have made it.
  static void Restate(const LimitOverride& limit, Decision& decision);

 private:
  // The count of the windows in the store; the maximum that a caller can ask for.
  static constexpr std::int64_t kWindow = std::numeric_limits<std::uint32_t>::max();

  std::array<Limit, LimitOverride::kPeriods> limits_;
  std::array<RuleLimit, LimitOverride::kPeriods> names_;
  std::array<LimitPlace, LimitOverride::kPeriods> places_;
  std::size_t added_ = 0;  // how many of them the store has
};

}  // namespace sluice
