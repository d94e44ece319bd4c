#include "bench/growth.h"

#include <algorithm>
#include <memory>

#include "bench/draws.h"
#include "bench/machine.h"
#include "bench/subject.h"
#include "load/histogram.h"

namespace sluice::bench {
namespace {

// Operations per block of each loop: short compared with changes in the speed of the machine.
constexpr std::uint64_t kTurn = 8192;

template <typename Timed>
void TimeEach(Histogram& into, std::uint64_t first, std::uint64_t last, Timed timed) {
  for (std::uint64_t index = first; index < last; ++index) {
    const KeyText key(index);
    const std::uint64_t before = Ticks();
    timed(key, before);
    into.Add(Ticks() - before);
  }
}

Latencies LineOf(const char* what, const Histogram& histogram, double nanos_per_tick) {
  const auto at = [&](Portion share) {
    return static_cast<double>(histogram.Quantile(share)) * nanos_per_tick;
  };
  return {what,          at({500'000}), at({990'000}),
          at({999'000}), at({999'900}), static_cast<double>(histogram.max()) * nanos_per_tick};
}

}  // namespace

Result<Growth> MeasureGrowth(std::uint64_t keys) {
  const Subject& subject = AllSubjects().front();
  StepClock clock;
  clock.Join(Nanos{1});
  auto made =
      Limiter::Create({.memory_bytes = MemoryFor(subject, keys), .clock = &clock, .seed = 1});
  if (!made.ok()) return made.error();
  Limiter& limiter = *made.value();
  const Result<LimitHandle> handle = limiter.Add("growth", subject.spec(keys));
  if (!handle.ok()) return handle.error();

  auto checks = std::make_unique<Histogram>();
  auto nothing = std::make_unique<Histogram>();
  auto busy = std::make_unique<Histogram>();
  const double wall_before = WallSeconds();
  const std::uint64_t ticks_before = Ticks();
  for (std::uint64_t first = 0; first < keys; first += kTurn) {
    const std::uint64_t last = std::min(first + kTurn, keys);
    TimeEach(*checks, first, last, [&](const KeyText& key, std::uint64_t /*before*/) {
      limiter.Check(Charge{handle.value(), key.view()});
    });
    TimeEach(*nothing, first, last, [](const KeyText& /*key*/, std::uint64_t /*before*/) {});
    const std::uint64_t length = checks->Quantile({500'000}) - nothing->Quantile({500'000});
    TimeEach(*busy, first, last, [length](const KeyText& /*key*/, std::uint64_t before) {
      while (Ticks() - before < length) {
      }
    });
  }
  const double nanos_per_tick =
      (WallSeconds() - wall_before) * 1e9 / static_cast<double>(Ticks() - ticks_before);
  Growth growth{.keys = keys, .max_slots_moved = limiter.StatsApprox().max_slots_moved};
  growth.lines = {LineOf("check", *checks, nanos_per_tick),
                  LineOf("no operation", *nothing, nanos_per_tick),
                  LineOf("busy loop as long as the p50", *busy, nanos_per_tick)};
  return growth;
}

}  // namespace sluice::bench
