#include "core/window_end.h"

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

}  // namespace sluice
