#include "core/limit/limit_keys.h"

#include <array>
#include <initializer_list>
#include <string>

#include "base/enum_name.h"
#include "base/spelling.h"
#include "base/text.h"
#include "core/limit/limit_words.h"

namespace sluice {
namespace {

using enum Algorithm;

constexpr Algorithms Of(std::initializer_list<Algorithm> algorithms) {
  Algorithms set;
  for (const Algorithm each : algorithms) set.bits |= 1U << static_cast<unsigned>(each);
  return set;
}

constexpr Algorithms kAllWithRate = Of({kTokenBucket, kLeakyBucket, kFixedWindow, kSlidingLog,
                                        kSlidingWindow, kSlidingBuckets, kPacer});

template <auto kMember>
bool IsWritten(const LimitSpec& spec) {
  return (spec.*kMember).has_value();
}

constexpr std::array kKeys = {
    LimitKey{"rate", kAllWithRate, IsWritten<&LimitSpec::rate>},
    LimitKey{"burst", Of({kTokenBucket, kLeakyBucket, kPacer}), IsWritten<&LimitSpec::burst>},
    LimitKey{"refill", Of({kTokenBucket}), IsWritten<&LimitSpec::refill>},
    LimitKey{"aligned", Of({kTokenBucket}), IsWritten<&LimitSpec::aligned>},
    LimitKey{"max_wait", Of({kTokenBucket, kLeakyBucket, kPacer}), IsWritten<&LimitSpec::max_wait>},
    LimitKey{"delay_after", Of({kLeakyBucket}), IsWritten<&LimitSpec::delay_after>},
    LimitKey{"window", Of({kFixedWindow}), IsWritten<&LimitSpec::window>},
    LimitKey{"zone", Of({kFixedWindow}), IsWritten<&LimitSpec::zone>},
    LimitKey{"count_refused", Of({kFixedWindow, kSlidingLog}),
             IsWritten<&LimitSpec::count_refused>},
    LimitKey{"min_gap", Of({kSlidingLog}), IsWritten<&LimitSpec::min_gap>},
    LimitKey{"buckets", Of({kSlidingBuckets}), IsWritten<&LimitSpec::buckets>},
    LimitKey{"oldest", Of({kSlidingBuckets}), IsWritten<&LimitSpec::oldest>},
    LimitKey{"warm_up", Of({kPacer}), IsWritten<&LimitSpec::warm_up>},
    LimitKey{"cold_factor", Of({kPacer}), IsWritten<&LimitSpec::cold_factor>},
    LimitKey{"max_in_flight", Of({kConcurrency}), IsWritten<&LimitSpec::max_in_flight>},
    LimitKey{"ttl", Of({kConcurrency}), IsWritten<&LimitSpec::ttl>},
};

constexpr std::string_view kAlgorithmKey = "algorithm";

std::string BelongsElsewhere(const LimitKey& key, Algorithm algorithm) {
  const std::string_view wrong = WordOf(algorithm);
  if (key.name == "rate") {
    return Concat("'rate' does not belong to ", wrong, "; it has max_in_flight");
  }
  std::vector<std::string_view> owners;
  for (const EnumName<Algorithm>& word : kAlgorithmWords) {
    if (word.text == WordOf(word.meaning) && key.of.Has(word.meaning)) owners.push_back(word.text);
  }
  return Concat(Quoted(key.name), " belongs to ", JoinWords(owners, "and"), ", not ", wrong);
}

bool WarmsUp(const LimitSpec& spec) { return spec.warm_up.value_or(Nanos{0}) != Nanos{0}; }

// Finds keys that belong to the algorithm, but need or exclude another option.
std::optional<LimitError> FindStrayInVariant(const LimitSpec& spec) {
  if (spec.aligned && spec.refill != Refill::kInterval) {
    return LimitError{"aligned", "'aligned' needs refill: interval"};
  }
  if (spec.zone && spec.window != WindowKind::kCalendar) {
    return LimitError{"zone", "'zone' needs window: calendar"};
  }
  if (spec.algorithm == kPacer && spec.burst && WarmsUp(spec)) {
    return LimitError{"burst", "'burst' cannot be used with 'warm_up'"};
  }
  if (spec.cold_factor && !WarmsUp(spec)) {
    return LimitError{"cold_factor", "'cold_factor' needs a warm_up above 0"};
  }
  return std::nullopt;
}

}  // namespace

std::span<const LimitKey> LimitKeys() { return kKeys; }

std::vector<std::string_view> KeyNames(Algorithm algorithm) {
  std::vector<std::string_view> names = {kAlgorithmKey};
  for (const LimitKey& key : kKeys) {
    if (key.of.Has(algorithm)) names.push_back(key.name);
  }
  return names;
}

std::vector<std::string_view> AllKeyNames() {
  std::vector<std::string_view> names = {kAlgorithmKey};
  for (const LimitKey& key : kKeys) names.push_back(key.name);
  return names;
}

std::optional<LimitError> FindStrayKey(const LimitSpec& spec) {
  for (const LimitKey& key : kKeys) {
    if (key.is_written(spec) && !key.of.Has(spec.algorithm)) {
      return LimitError{std::string(key.name), BelongsElsewhere(key, spec.algorithm)};
    }
  }
  return FindStrayInVariant(spec);
}

}  // namespace sluice
