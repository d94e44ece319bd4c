// RuleCounts: how often each limit allowed and refused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/sole_writer_count.h"
#include "gate/rule_series.h"

namespace sluice {

// The outcome of one decision.
enum class RuleOutcome : std::uint8_t {
  kAllowed,
  kRefused,
  kShadowRefused,  // would have refused, but is in shadow
  kFailed,         // the store could not tell
  // The remote store could not be asked, and the rule's own policy decided.
  kFallbackAllowed,
  kFallbackRefused,
};
inline constexpr std::size_t kRuleOutcomes = 6;

// The counts of one number of a RuleSeries.
struct RuleTotals {
  std::array<std::uint64_t, kRuleOutcomes> decisions{};  // by RuleOutcome
  std::uint64_t units = 0;                               // units taken

  [[nodiscard]] std::uint64_t operator[](RuleOutcome outcome) const {
    return decisions[static_cast<std::size_t>(outcome)];
  }
};

// All counts at one time.
struct RuleSums {
  std::shared_ptr<const RuleSeries> series;  // null before there are rules
  std::vector<RuleTotals> totals;            // by number of the series
};

class RuleTally;

// The counts of all threads together.
//
// Thread safety: every method may be called from any thread. Ownership: it must outlive its
// tallies.
//
// Invariants
//   (1) The counts of a set of labels continue from one rule set to the next while both have these
//       labels.
//   (2) It keeps counts only for the rules in force: nothing remains of removed rules, except in a
//       tally that has not switched to the new series yet.
class RuleCounts {
 public:
  RuleCounts() = default;
  RuleCounts(const RuleCounts&) = delete;
  RuleCounts& operator=(const RuleCounts&) = delete;
  ~RuleCounts() = default;

  // Switches to a new series.
  void Use(std::shared_ptr<const RuleSeries> series);

  [[nodiscard]] RuleSums SumApprox() const;

 private:
  friend class RuleTally;

  // Adds the counts of `tally` to `totals`, by the numbers of the current series. REQUIRES: mutex_
  // is held.
  void AddTo(std::vector<RuleTotals>& totals, const RuleTally& tally) const;

  mutable std::mutex mutex_;
  std::shared_ptr<const RuleSeries> series_;
  std::vector<RuleTotals> carried_;  // by number: counts that are no longer in any tally
  std::vector<RuleTally*> tallies_;
};

// The counts of one thread, which is the only writer.
//
// Thread safety: none, except that its RuleCounts may read it. Ownership: the RuleCounts must
// outlive it.
class RuleTally {
 public:
  explicit RuleTally(RuleCounts& all);
  RuleTally(const RuleTally&) = delete;
  RuleTally& operator=(const RuleTally&) = delete;
  ~RuleTally();

  // Switches to a new series, carrying the counts over to the RuleCounts.
  void SwitchTo(std::shared_ptr<const RuleSeries> series);

  // REQUIRES: a number of the current series.
  void Count(std::uint32_t number, RuleOutcome outcome) {
    cells_[number].decisions[static_cast<std::size_t>(outcome)].Add(1);
  }
  void CountUnits(std::uint32_t number, std::uint64_t units) { cells_[number].units.Add(units); }

  [[nodiscard]] const RuleSeries& series() const { return *series_; }

 private:
  friend class RuleCounts;

  // One cache line each, so that a decision touches a single one that no other thread uses.
  struct alignas(64) Cell {
    std::array<SoleWriterCount, kRuleOutcomes> decisions;
    SoleWriterCount units;
  };

  RuleCounts& all_;
  std::shared_ptr<const RuleSeries> series_;  // written under the mutex of all_
  std::vector<Cell> cells_;                   // by number; written under the mutex of all_
};

}  // namespace sluice
