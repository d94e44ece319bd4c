// The models of the oracle, one per algorithm. For oracle*.cc and tests that use its functions.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "support/oracle.h"

namespace sluice::testing {

// The units charged at one instant.
struct PastCharge {
  Wide at = 0;
  Wide units = 0;
};

// All charges, oldest first.
using History = std::vector<PastCharge>;

// Removes up to `units` units, newest first.
void RemoveNewest(History& history, Wide units);

// Returns a / b rounded towards minus infinity. REQUIRES: b > 0.
constexpr Wide FloorDiv(Wide a, Wide b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

// The maximum time a debt reaches ahead, unless checks reach further.
constexpr Wide kDebtYear = Wide{365} * 24 * 3600 * 1'000'000'000;

// T, as `unit` ticks of 1/`ns` nanosecond.
struct TickScale {
  Wide unit = 1;
  Wide ns = 1;
};
TickScale ScaleOf(Rate rate);

std::unique_ptr<Model> MakeTokenModel(const LimitSpec& spec);
std::unique_ptr<Model> MakeIntervalModel(const LimitSpec& spec);
std::unique_ptr<Model> MakeLeakyModel(const LimitSpec& spec);
std::unique_ptr<Model> MakePacerModel(const LimitSpec& spec);
std::unique_ptr<Model> MakeWarmUpModel(const LimitSpec& spec);
std::unique_ptr<Model> MakeFixedWindowModel(const LimitSpec& spec, const Zone* zone,
                                            std::uint64_t key_hash);
std::unique_ptr<Model> MakeLogModel(const LimitSpec& spec);
std::unique_ptr<Model> MakeSlidingWindowModel(const LimitSpec& spec);
std::unique_ptr<Model> MakeSlidingBucketsModel(const LimitSpec& spec);
std::unique_ptr<Model> MakePermitsModel(const LimitSpec& spec);

}  // namespace sluice::testing
