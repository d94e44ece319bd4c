#include "store/restore_bounds.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "core/algorithm/debt.h"
#include "store/packing.h"

namespace sluice {
namespace {

// No state of any kind is further ahead than this (see kLatestTime).
constexpr Time kLast = kLatestTime + kLongestSpan;

// The maximum time that a state may be ahead of now, debts included. Times are rounded up.
struct Ahead {
  Nanos span;

  template <typename L>
  Nanos operator()(const L& /*terms*/) const {
    return span;
  }
  Nanos operator()(const TokenBucket& /*terms*/) const { return InDebt(); }
  Nanos operator()(const LeakyBucket& /*terms*/) const { return InDebt(); }
  Nanos operator()(const IntervalBucket& /*terms*/) const { return InDebt(); }
  Nanos operator()(const Pacer& /*terms*/) const { return InDebt(); }
  // The counters of a narrow slot are in the lowest bits of its time.
  Nanos operator()(const SlidingWindow& /*terms*/) const { return span + NarrowPacking::kCoarse; }
  Nanos operator()(const WarmUpPacer& terms) const { return kLongestSpan + terms.warm_up; }

  [[nodiscard]] Nanos InDebt() const { return std::max(span, kDebtSpan) + Nanos{1}; }
};

Nanos LongestSpan(const std::vector<const PreparedTerms*>& all) {
  Nanos longest{0};
  for (const PreparedTerms* const terms : all) longest = std::max(longest, terms->span);
  return longest;
}

}  // namespace

RestoreBounds::RestoreBounds(std::span<const std::unique_ptr<RegisteredLimit>> limits) {
  for (auto& row : ahead_) row.fill(Nanos{-1});
  for (const auto& limit : limits) {
    const std::vector<const PreparedTerms*> all = limit->AllTerms();
    for (const PreparedTerms* const terms : all) {
      const bool is_permits = limit->algorithm() == Algorithm::kConcurrency;
      const Nanos span = is_permits ? LongestSpan(all) : terms->span;
      Extend(terms->shape, terms->id, std::visit(Ahead{span}, terms->limit.terms));
    }
    if (limit->terms_from() != TermsFrom::kCharge) continue;
    // The id encodes a denominator there.
    for (std::size_t id = 0; id < 256; ++id) Extend(Shape::kNarrow, id, kDebtSpan + Nanos{1});
  }
}

void RestoreBounds::Extend(Shape shape, std::size_t id, Nanos ahead) {
  Nanos& known = ahead_[static_cast<std::size_t>(shape)][id];
  known = std::max(known, ahead);
}

bool RestoreBounds::Admits(Shape shape, std::uint8_t id, Time unused_at, Time now) const {
  const Nanos ahead = ahead_[static_cast<std::size_t>(shape)][id];
  if (ahead < Nanos{0} || unused_at > kLast) return false;
  return unused_at <= (ahead > kLast - now ? kLast : now + ahead);
}

}  // namespace sluice
