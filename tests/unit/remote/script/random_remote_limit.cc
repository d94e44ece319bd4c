#include "unit/remote/script/random_remote_limit.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <variant>

#include "remote/script/remote_limit.h"

namespace sluice::testing {
namespace {

constexpr std::int64_t kMicro = 1000;

void RoundToMicros(Nanos& length, std::int64_t parts) {
  const std::int64_t micros = std::max<std::int64_t>(1, length.count() / (kMicro * parts));
  length = Nanos{micros * kMicro * parts};
}

bool KeepsTicks(Kind kind) {
  return kind == Kind::kTokenBucket || kind == Kind::kLeakyBucket || kind == Kind::kPacer;
}

}  // namespace

LimitSpec RandomRemoteLimit(Kind kind, Random& random) {
  const bool is_small = random.OneIn(2);
  while (true) {
    LimitSpec spec = RandomLimit(kind, random);
    // With similar periods, keys stay in use while the time advances for other keys.
    if (is_small && spec.rate && kind != Kind::kCalendarWindow) {
      spec.rate->count = random.Between(1, 12);
      spec.rate->period = std::chrono::microseconds{random.Between(60, 5000)};
    }
    if (spec.rate && kind != Kind::kCalendarWindow && !KeepsTicks(kind)) {
      RoundToMicros(spec.rate->period,
                    kind == Kind::kSlidingBuckets ? spec.buckets.value_or(60) : 1);
    }
    if (kind == Kind::kConcurrency) {
      if (is_small) spec.ttl = std::chrono::microseconds{random.Between(60, 5000)};
      if (spec.ttl) RoundToMicros(*spec.ttl, 1);
    }
    auto made = MakeLimit(spec, [&](std::string_view) { return ZoneOf(spec); });
    const auto* limit = std::get_if<Limit>(&made);
    if (limit != nullptr && CheckRemoteLimit(*limit).ok()) return spec;
  }
}

}  // namespace sluice::testing
