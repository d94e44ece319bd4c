// IsPlausible: checks whether a state from a file could have been written by its terms.
//
// These are the checks that decisions rely on: a state that passes them makes no algorithm
// overflow, read out of bounds or wait beyond its limit. They do not prove that the state is true.
#pragma once

#include "core/limit/limit.h"

namespace sluice {

// The time and the bound that a state is checked against.
struct PlausibleAt {
  Time now{};
  // PreparedTerms::span of the terms. For a concurrency limit, the longest of all its terms,
  // because permits keep the deadlines that earlier terms gave them.
  Nanos span{0};
};

bool IsPlausible(const TokenBucket& terms, const FineTime& state, const PlausibleAt& at);
bool IsPlausible(const LeakyBucket& terms, const FineTime& state, const PlausibleAt& at);
bool IsPlausible(const Pacer& terms, const FineTime& state, const PlausibleAt& at);
bool IsPlausible(const IntervalBucket& terms, const IntervalBucket::State& state,
                 const PlausibleAt& at);
bool IsPlausible(const FixedWindow& terms, const FixedWindow::State& state, const PlausibleAt& at);
bool IsPlausible(const SlidingWindow& terms, const SlidingWindow::State& state,
                 const PlausibleAt& at);
bool IsPlausible(const WarmUpPacer& terms, const WarmUpPacer::State& state, const PlausibleAt& at);

// REQUIRES: the properties of the entries that ReadBlock (block_codec.h) ensures.
bool IsPlausible(const SlidingLog& terms, const LogState& state, const PlausibleAt& at);
bool IsPlausible(const SlidingBuckets& terms, const PartsState& state, const PlausibleAt& at);
bool IsPlausible(const Concurrency& terms, const PermitsState& state, const PlausibleAt& at);

}  // namespace sluice
