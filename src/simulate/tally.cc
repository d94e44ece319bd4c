#include "simulate/tally.h"

#include <algorithm>

namespace sluice::cli {
namespace {

// Returns a + b for non-negative numbers, or the maximum if the sum overflows.
std::int64_t AddUpTo(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

}  // namespace

void BusiestPeriod::Add(Time t, std::int64_t units, Nanos period) {
  while (begin_ < taken_.size() && t - taken_[begin_].t >= period) {
    units_ -= taken_[begin_++].units;
  }
  // Erasing only when half of the entries are outdated keeps the cost per charge constant.
  if (begin_ * 2 > taken_.size()) {
    taken_.erase(taken_.begin(), taken_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }
  // The sum can overflow only for a pacer with warm-up, whose first request may have any cost;
  // other limits allow far fewer units per period.
  const std::int64_t taken = AddUpTo(units_, units) - units_;
  taken_.push_back({t, taken});
  units_ += taken;
  units_max_ = std::max(units_max_, units_);
}

void Tally::Add(const Step& step, const Reply& reply) {
  if (!AsksToPass(step.op)) return;
  if (!reply.decision.allowed) {
    ++refused_;
    run_ = 0;
    if (!first_refusal_) first_refusal_ = reply.t;
    return;
  }
  ++allowed_;
  run_max_ = std::max(run_max_, ++run_);
  wait_total_ = Nanos(AddUpTo(wait_total_.count(), reply.decision.wait.count()));
  if (period_ && step.cost.units > 0) by_key_[step.key].Add(reply.t, step.cost.units, *period_);
}

double Tally::share_allowed() const {
  const std::uint64_t all = allowed_ + refused_;
  return all == 0 ? 0.0 : static_cast<double>(allowed_) / static_cast<double>(all);
}

std::optional<std::int64_t> Tally::period_units_max() const {
  if (!period_) return std::nullopt;
  std::int64_t max = 0;
  for (const auto& [key, busiest] : by_key_) max = std::max(max, busiest.units_max());
  return max;
}

}  // namespace sluice::cli
