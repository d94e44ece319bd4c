#include "core/algorithm/window_end.h"

#include <algorithm>
#include <variant>

namespace sluice {
namespace {

Time NextMultiple(Nanos length, Time now) {
  const Nanos since = now.time_since_epoch();
  return Time{since - since % length + length};
}

}  // namespace

std::optional<Time> WindowEnd(const Limit& limit, const Decision& decision, Time now) {
  if (std::holds_alternative<FixedWindow>(limit.terms)) return now + decision.reset_after;
  if (const auto* window = std::get_if<SlidingWindow>(&limit.terms)) {
    return NextMultiple(window->rate.period, now);
  }
  if (const auto* parts = std::get_if<SlidingBuckets>(&limit.terms)) {
    return NextMultiple(parts->rate.period / parts->buckets, now);
  }
  return std::nullopt;
}

Time ReturnableUntil(const Limit& limit, const Decision& decision, Time now) {
  if (const auto* bucket = std::get_if<IntervalBucket>(&limit.terms)) {
    // Refills come every period; the last one is when the bucket is full.
    const Nanos rest = decision.reset_after % bucket->rate.period;
    return now + (rest > Nanos{0} ? rest : std::min(decision.reset_after, bucket->rate.period));
  }
  return WindowEnd(limit, decision, now).value_or(now + decision.reset_after);
}

}  // namespace sluice
