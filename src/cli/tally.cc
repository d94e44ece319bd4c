#include "cli/tally.h"

#include <algorithm>

namespace sluice::cli {
namespace {

// a + b for numbers that are not negative; the largest number where that does not fit.
std::int64_t AddUpTo(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

}  // namespace

void BusiestPeriod::Add(Time t, std::int64_t units, Nanos period) {
  while (begin_ < taken_.size() && t - taken_[begin_].t >= period) {
    units_ -= taken_[begin_++].units;
  }
  // Dropping the front only when it is half of all keeps the cost of a charge constant.
  if (begin_ * 2 > taken_.size()) {
    taken_.erase(taken_.begin(), taken_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }
  // What a limit lets pass in one period is far below the largest number, but for a warm pacer,
  // whose first request may cost anything.
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
  std::int64_t most = 0;
  for (const auto& [key, busiest] : by_key_) most = std::max(most, busiest.units_max());
  return most;
}

}  // namespace sluice::cli
