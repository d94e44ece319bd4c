#include "gate/caller_limits.h"

#include <utility>

namespace sluice {
namespace {

std::size_t PlaceOf(const CallerTerms& asked) {
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = static_cast<std::uint64_t>(asked.burst) * kSpread;
  mixed = (mixed ^ static_cast<std::uint64_t>(asked.count)) * kSpread;
  mixed = (mixed ^ static_cast<std::uint64_t>(asked.period.count())) * kSpread;
  static_assert(CallerLimits::kRemembered == 256);
  return mixed >> 56U;
}

}  // namespace

Result<Done> CallerLimits::Find() {
  const std::shared_ptr<const BoundRules> rules = gate_.rules();
  if (rules == nullptr) return Error{"the rules are not loaded yet"};
  handle_ = rules->brought;
  return Done{};
}

Result<const BroughtTerms*> CallerLimits::Recall(const CallerTerms& asked) {
  Remembered& place = remembered_[PlaceOf(asked)];
  if (place.terms != nullptr && place.asked == asked) return place.terms.get();
  // In seconds: more of them than that are too many nanoseconds to count.
  constexpr auto kLongest = std::chrono::floor<std::chrono::seconds>(kLongestSpan);
  if (asked.period > kLongest) return Error{"the period is above 100 years"};
  Result<BroughtTerms> made = BroughtTerms::Make({asked.count, asked.period}, asked.burst);
  if (!made.ok()) return made.error();
  if (place.terms != nullptr) forgotten_.push_back(std::move(place.terms));
  place = {asked, std::make_unique<const BroughtTerms>(std::move(made).value())};
  return place.terms.get();
}

Result<Done> CallerLimits::Add(const CallerTerms& terms, std::string_view key, Cost cost) {
  if (!handle_) {
    if (Result<Done> found = Find(); !found.ok()) return found;
  }
  const Result<const BroughtTerms*> recalled = Recall(terms);
  if (!recalled.ok()) return recalled.error();
  charges_.push_back({recalled.value(), key, cost});
  return Done{};
}

std::span<const Decision> CallerLimits::Decide() {
  const std::size_t count = charges_.size();
  if (count == 0) return {};
  if (decisions_.size() < count) decisions_.resize(count);
  gate_.store_.DecideBrought(*handle_, charges_, decisions_, gate_.clock_.Now());
  charges_.clear();
  forgotten_.clear();
  return {decisions_.data(), count};
}

}  // namespace sluice
