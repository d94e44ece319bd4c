// RuleCounts: how often each limit allowed and refused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/sole_writer_count.h"
#include "gate/rule_series.h"

namespace sluice {

// What was decided.
enum class RuleOutcome : std::uint8_t {
  kAllowed,
  kRefused,
  kShadowRefused,  // it would have refused, and is in shadow
  kFailed,         // it could not tell
  // The remote could not be asked, and the rule's own policy decided.
  kFallbackAllowed,
  kFallbackRefused,
};
inline constexpr std::size_t kRuleOutcomes = 6;

// A value.
struct RuleTotals {
  std::array<std::uint64_t, kRuleOutcomes> decisions{};  // by RuleOutcome
  std::uint64_t units = 0;                               // taken

  [[nodiscard]] std::uint64_t operator[](RuleOutcome outcome) const {
    return decisions[static_cast<std::size_t>(outcome)];
  }
};

// All counts at one time. A value.
struct RuleSums {
  std::shared_ptr<const RuleSeries> series;  // null before there are rules
  std::vector<RuleTotals> totals;            // by number of the series
};

class RuleTally;

// The counts of all threads together.
//
// Thread safety: everything from any thread. Ownership: it outlives its tallies.
//
// Invariants
//   (1) What is counted under some labels goes on from one rule set to the next while both have
//       these labels.
//   (2) It keeps counts for the rules in force alone: of rules that come and go nothing stays, but
//       in a tally that has not yet seen that they went.
class RuleCounts {
 public:
  RuleCounts() = default;
  RuleCounts(const RuleCounts&) = delete;
  RuleCounts& operator=(const RuleCounts&) = delete;
  ~RuleCounts() = default;

  // These are in force from now on.
  void Use(std::shared_ptr<const RuleSeries> series);

  [[nodiscard]] RuleSums SumApprox() const;

 private:
  friend class RuleTally;

  // Under the mutex. Adds up what `tally` has, by the numbers of the series in force.
  void AddTo(std::vector<RuleTotals>& totals, const RuleTally& tally) const;

  mutable std::mutex mutex_;
  std::shared_ptr<const RuleSeries> series_;
  std::vector<RuleTotals> carried_;  // by number: what no tally has any more
  std::vector<RuleTally*> tallies_;
};

// The counts of one thread, which alone writes them.
//
// Thread safety: none, but that its RuleCounts reads it. Ownership: the RuleCounts outlives it.
class RuleTally {
 public:
  explicit RuleTally(RuleCounts& all);
  RuleTally(const RuleTally&) = delete;
  RuleTally& operator=(const RuleTally&) = delete;
  ~RuleTally();

  // Counts by these numbers from now on.
  void Follow(std::shared_ptr<const RuleSeries> series);

  // REQUIRES: a number of the series it follows.
  void Count(std::uint32_t number, RuleOutcome outcome) {
    cells_[number].decisions[static_cast<std::size_t>(outcome)].Add(1);
  }
  void CountUnits(std::uint32_t number, std::uint64_t units) { cells_[number].units.Add(units); }

  [[nodiscard]] const RuleSeries& series() const { return *series_; }

 private:
  friend class RuleCounts;

  // A cache line of its own, so that a decision touches one and no other thread's.
  struct alignas(64) Cell {
    std::array<SoleWriterCount, kRuleOutcomes> decisions;
    SoleWriterCount units;
  };

  RuleCounts& all_;
  std::shared_ptr<const RuleSeries> series_;  // written under the mutex of all_
  std::vector<Cell> cells_;                   // likewise; by number
};

}  // namespace sluice
