#include "gate/rule_counts.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace sluice {

namespace {

// Saturates, as SoleWriterCount does.
void AddCount(const SoleWriterCount& more, std::uint64_t& sum) {
  const std::uint64_t count = more.ReadApprox();
  sum += std::min(count, std::numeric_limits<std::uint64_t>::max() - sum);
}

}  // namespace

void RuleCounts::Use(std::shared_ptr<const RuleSeries> series) {
  const std::lock_guard guard(mutex_);
  std::vector<RuleTotals> carried(series->labels().size());
  for (std::size_t i = 0; i < carried_.size(); ++i) {
    if (const auto number = series->Find(series_->labels()[i])) carried[*number] = carried_[i];
  }
  series_ = std::move(series);
  carried_ = std::move(carried);
}

RuleSums RuleCounts::SumApprox() const {
  const std::lock_guard guard(mutex_);
  RuleSums sums{series_, carried_};
  for (const RuleTally* const tally : tallies_) AddTo(sums.totals, *tally);
  return sums;
}

void RuleCounts::AddTo(std::vector<RuleTotals>& totals, const RuleTally& tally) const {
  const bool is_in_force = tally.series_ == series_;
  for (std::uint32_t i = 0; i < tally.cells_.size(); ++i) {
    const RuleTally::Cell& cell = tally.cells_[i];
    const std::optional<std::uint32_t> number =
        is_in_force ? i : series_->Find(tally.series_->labels()[i]);
    if (!number) continue;
    RuleTotals& total = totals[*number];
    for (std::size_t j = 0; j < kRuleOutcomes; ++j) {
      AddCount(cell.decisions[j], total.decisions[j]);
    }
    AddCount(cell.units, total.units);
  }
}

RuleTally::RuleTally(RuleCounts& all) : all_(all) {
  const std::lock_guard guard(all_.mutex_);
  all_.tallies_.push_back(this);
}

RuleTally::~RuleTally() {
  const std::lock_guard guard(all_.mutex_);
  all_.AddTo(all_.carried_, *this);
  std::erase(all_.tallies_, this);
}

void RuleTally::SwitchTo(std::shared_ptr<const RuleSeries> series) {
  std::vector<Cell> cells(series->labels().size());
  const std::lock_guard guard(all_.mutex_);
  all_.AddTo(all_.carried_, *this);
  series_ = std::move(series);
  cells_ = std::move(cells);
}

}  // namespace sluice
