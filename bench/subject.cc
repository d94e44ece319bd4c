#include "bench/subject.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "bench/draws.h"
#include "bench/machine.h"

namespace sluice::bench {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

// The burst is as large as a slot can hold (burst * T is just below a year). With a T of 1 s, one
// charge keeps a key in use for a billion decisions, and the most popular key can take 30 million
// charges before it is refused. A single hot key takes more charges than that, and a short T
// suffices for it because it is charged all the time.
constexpr std::int64_t kBurst = 30'000'000;
Nanos IntervalFor(std::uint64_t keys) { return keys == 1 ? Nanos{milliseconds{1}} : seconds{1}; }
std::int64_t BurstFor(std::uint64_t keys) { return keys == 1 ? 1000 * kBurst : kBurst; }

// The largest count for two 32-bit counters.
constexpr std::int64_t kCount = 4'000'000'000;
// The largest count for two 14-bit counters; above it a sliding window needs a wider slot.
constexpr std::int64_t kCountNarrow = 16'383;
// Too large for 14-bit counters, but still decided with 64-bit arithmetic.
constexpr std::int64_t kCountQuick = 2'000'000;
constexpr Nanos kWindow{seconds{1000}};

// Returns a period, divisible by 60, in which every key is charged kChargesInView times on average.
Nanos AgingPeriod(std::uint64_t keys) {
  const auto wanted =
      static_cast<std::int64_t>(std::max<std::uint64_t>(keys, 250) * kChargesInView);
  return Nanos{(wanted + 59) / 60 * 60};
}

LimitSpec Spec(Algorithm algorithm, const Rate& rate) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  spec.rate = rate;
  return spec;
}

LimitSpec WithBurst(LimitSpec spec, std::int64_t burst) {
  spec.burst = burst;
  return spec;
}

LimitSpec TokenBucket(std::uint64_t keys) {
  return WithBurst(Spec(Algorithm::kTokenBucket, {1, IntervalFor(keys)}), BurstFor(keys));
}
LimitSpec IntervalBucket(std::uint64_t /*keys*/) {
  LimitSpec spec = WithBurst(Spec(Algorithm::kTokenBucket, {1000, seconds{10}}), 1'000'000'000);
  spec.refill = Refill::kInterval;
  return spec;
}
LimitSpec LeakyBucket(std::uint64_t keys) {
  return WithBurst(Spec(Algorithm::kLeakyBucket, {1, IntervalFor(keys)}), BurstFor(keys));
}
LimitSpec FixedWindow(std::uint64_t /*keys*/) {
  return Spec(Algorithm::kFixedWindow, {kCount, kWindow});
}
LimitSpec SlidingWindow(std::uint64_t /*keys*/) {
  return Spec(Algorithm::kSlidingWindow, {kCountNarrow, kWindow});
}
LimitSpec LargeSlidingWindow(std::uint64_t /*keys*/) {
  return Spec(Algorithm::kSlidingWindow, {kCountQuick, kWindow});
}
LimitSpec SlidingLog(std::uint64_t keys) {
  return Spec(Algorithm::kSlidingLog, {100'000'000, AgingPeriod(keys)});
}
LimitSpec SlidingBuckets(std::uint64_t keys) {
  return Spec(Algorithm::kSlidingBuckets, {kCount, AgingPeriod(keys)});
}
LimitSpec Pacer(std::uint64_t keys) {
  LimitSpec spec = Spec(Algorithm::kPacer, {1, IntervalFor(keys)});
  spec.max_wait = IntervalFor(keys) * BurstFor(keys);
  return spec;
}
LimitSpec Concurrency(std::uint64_t /*keys*/) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kConcurrency;
  spec.max_in_flight = 1'000'000;
  spec.ttl = hours{1};
  return spec;
}

LimitSpec OneCharge(std::uint64_t /*keys*/) {
  return WithBurst(Spec(Algorithm::kTokenBucket, {1, hours{24 * 300}}), 1);
}
// This subject runs in real time, so a charge has to last for the whole measurement.
LimitSpec SlowTokenBucket(std::uint64_t /*keys*/) {
  return WithBurst(Spec(Algorithm::kTokenBucket, {1, hours{1}}), 8000);
}

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::size_t kBatch = 16;
constexpr std::string_view kHeldPermit = "held";

}  // namespace

std::span<const Subject> AllSubjects() {
  // A sliding window is measured a quarter into the window after the one in which it was filled, so
  // that both of its counters matter.
  static const std::vector<Subject> subjects{
      {.name = "token_bucket", .max_keys = 100 * kMillion, .spec = TokenBucket},
      {.name = "token_bucket/interval", .max_keys = 10 * kMillion, .spec = IntervalBucket},
      {.name = "leaky_bucket", .max_keys = 10 * kMillion, .spec = LeakyBucket},
      {.name = "fixed_window", .max_keys = 10 * kMillion, .spec = FixedWindow},
      {.name = "sliding_window",
       .max_keys = 100 * kMillion,
       .spec = SlidingWindow,
       .jump = kWindow + kWindow / 4},
      {.name = "sliding_window/large",
       .max_keys = 10 * kMillion,
       .spec = LargeSlidingWindow,
       .jump = kWindow + kWindow / 4},
      {.name = "pacer", .max_keys = 10 * kMillion, .spec = Pacer},
      {.name = "sliding_log", .max_keys = kMillion, .spec = SlidingLog, .ages = true},
      {.name = "sliding_buckets", .max_keys = kMillion, .spec = SlidingBuckets, .ages = true},
      {.name = "concurrency", .max_keys = kMillion, .spec = Concurrency, .permits = true},
  };
  return subjects;
}

const Subject& RefusingSubject() {
  static const Subject subject{.name = "token_bucket", .max_keys = kMillion, .spec = OneCharge};
  return subject;
}

const Subject& SlowSubject() {
  static const Subject subject{
      .name = "token_bucket", .max_keys = kMillion, .spec = SlowTokenBucket};
  return subject;
}

std::uint64_t MemoryFor(const Subject& subject, std::uint64_t keys) {
  // Sliding logs of the most popular keys hold tens of thousands of entries.
  const std::uint64_t each =
      subject.max_keys <= kMillion && (subject.ages || subject.permits) ? 2048 : 64;
  return (std::uint64_t{256} << 20U) + keys * each;
}

Result<std::unique_ptr<Filled>> Filled::Make(const Subject& subject, std::uint64_t keys,
                                             TimeFrom time) {
  ReturnFreedMemory();
  std::unique_ptr<Filled> filled(new Filled(subject, keys));
  const std::uint64_t before = ResidentBytes();
  auto limiter = Limiter::Create({.memory_bytes = MemoryFor(subject, keys),
                                  .clock = time == TimeFrom::kSteps ? &filled->clock_ : nullptr,
                                  .seed = 1});
  if (!limiter.ok()) return limiter.error();
  filled->limiter_ = std::move(limiter).value();
  filled->clock_.Join(Nanos{kBatch});
  const Result<LimitHandle> handle = filled->limiter_->Add("bench", subject.spec(keys));
  if (!handle.ok()) return handle.error();
  filled->handle_ = handle.value();
  filled->resident_before_ = ResidentBytes();
  filled->empty_bytes_ = filled->resident_before_ - std::min(before, filled->resident_before_);
  filled->Fill();
  filled->clock_.Join(Nanos{1});
  filled->clock_.SleepFor(subject.jump);
  filled->clock_.Leave();
  return filled;
}

void Filled::Fill() {
  const std::uint64_t step = std::max<std::uint64_t>(keys_ / 256, 1024);
  double cpu = 0;
  for (std::uint64_t first = 0; first < keys_; first += step) {
    const std::uint64_t last = std::min(first + step, keys_);
    cpu += ChargeFromAllCores(first, last);
    if (last >= keys_ / 2) Sample();
  }
  peak_.adds = static_cast<double>(keys_) / cpu;
}

double Filled::ChargeFromAllCores(std::uint64_t first, std::uint64_t last) {
  const std::uint64_t cores = CoreCount();
  std::vector<double> cpu(cores, 0.0);
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < cores; ++i) {
    const std::uint64_t from = first + (last - first) * i / cores;
    const std::uint64_t to = first + (last - first) * (i + 1) / cores;
    threads.emplace_back([this, &cpu, i, from, to] { cpu[i] = ChargeFrom(from, to); });
  }
  for (std::thread& thread : threads) thread.join();
  return std::accumulate(cpu.begin(), cpu.end(), 0.0);
}

double Filled::ChargeFrom(std::uint64_t first, std::uint64_t last) {
  std::array<std::array<char, KeyText::kBytes>, kBatch> keys;
  std::array<Charge, kBatch> charges;
  std::array<Decision, kBatch> decisions;
  const double cpu = ThreadCpuSeconds();
  clock_.Join(Nanos{kBatch});
  while (first < last) {
    const std::size_t count = std::min<std::uint64_t>(kBatch, last - first);
    for (std::size_t i = 0; i < count; ++i) {
      KeyText::Write(first + i, keys[i].data());
      charges[i] = {handle_, {keys[i].data(), KeyText::kBytes}};
      if (subject_.permits) limiter_->Acquire(charges[i], kHeldPermit);
    }
    if (!subject_.permits) limiter_->Check(std::span(charges).first(count), decisions);
    first += count;
  }
  clock_.Leave();
  return ThreadCpuSeconds() - cpu;
}

void Filled::Sample() {
  const Footprint now = Measure();
  peak_.bytes_peak = std::max(peak_.bytes_peak, now.bytes);
  peak_.resident_peak = std::max(peak_.resident_peak, now.resident);
}

Footprint Filled::Measure() const {
  const LimiterStats stats = limiter_->StatsApprox();
  const double keys = static_cast<double>(std::max<std::uint64_t>(stats.keys, 1));
  const std::uint64_t resident = std::max(ResidentBytes(), resident_before_);
  Footprint now = peak_;
  now.bytes = static_cast<double>(stats.bytes) / keys;
  now.resident = static_cast<double>(resident - resident_before_) / keys;
  return now;
}

}  // namespace sluice::bench
