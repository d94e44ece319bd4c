#include "gate/caller_limits.h"

#include <utility>

namespace sluice {
namespace {

std::size_t PlaceOf(const CallerLimit& asked) {
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
  handle_ = rules->caller_limit;
  return Done{};
}

Result<const CallerTerms*> CallerLimits::Recall(const CallerLimit& asked) {
  Remembered& place = remembered_[PlaceOf(asked)];
  if (place.terms != nullptr && place.asked == asked) return place.terms.get();
  // Compared in seconds, because longer periods overflow when counted in nanoseconds.
  constexpr auto kLongest = std::chrono::floor<std::chrono::seconds>(kLongestSpan);
  if (asked.period > kLongest) return Error{"the period is above 100 years"};
  Result<CallerTerms> made = CallerTerms::Make({asked.count, asked.period}, asked.burst);
  if (!made.ok()) return made.error();
  if (place.terms != nullptr) forgotten_.push_back(std::move(place.terms));
  place = {asked, std::make_unique<const CallerTerms>(std::move(made).value())};
  return place.terms.get();
}

Result<Done> CallerLimits::Add(const CallerLimit& terms, std::string_view key, Cost cost) {
  if (!handle_) {
    if (Result<Done> found = Find(); !found.ok()) return found;
  }
  const Result<const CallerTerms*> recalled = Recall(terms);
  if (!recalled.ok()) return recalled.error();
  charges_.push_back({recalled.value(), key, cost});
  return Done{};
}

std::span<const Decision> CallerLimits::Decide() {
  const std::size_t count = charges_.size();
  if (count == 0) return {};
  if (decisions_.size() < count) decisions_.resize(count);
  gate_.store_.DecideCallerCharges(*handle_, charges_, decisions_, gate_.clock_.Now());
  charges_.clear();
  forgotten_.clear();
  return {decisions_.data(), count};
}

}  // namespace sluice
