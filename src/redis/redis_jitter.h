// RedisJitter: random delays, so that clients do not all act at the same time.
#pragma once

#include <cstdint>

#include "sluice/time.h"

namespace sluice {

// A pseudo-random sequence that depends only on its seed.
//
// Thread safety: none.
class RedisJitter {
 public:
  explicit RedisJitter(std::uint64_t seed) : state_(seed) {}

  // Returns a uniformly distributed delay between `least` and `most`. REQUIRES: least <= most.
  Nanos Between(Nanos min, Nanos max) {
    const auto span = static_cast<std::uint64_t>((max - min).count()) + 1;
    return min + Nanos{static_cast<std::int64_t>(Bits() % span)};
  }

  // Returns 64 random bits, for example to seed another sequence.
  std::uint64_t Bits() {
    // SplitMix64, public domain: mixes the bits of a counter.
    std::uint64_t mixed = (state_ += 0x9E3779B97F4A7C15U);
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }

 private:
  std::uint64_t state_;
};

// Exponential backoff with full jitter: the upper bound doubles with each failure up to a maximum,
// and the wait is random between `least` and the bound.
//
// Thread safety: none.
class RedisPacing {
 public:
  struct Settings {
    Nanos min = std::chrono::milliseconds{10};    // lower bound of every wait
    Nanos first = std::chrono::milliseconds{50};  // upper bound of the first wait
    Nanos max = std::chrono::seconds{1};          // upper bound of every wait
  };

  explicit RedisPacing(const Settings& settings) : settings_(settings), bound_(settings.first) {}

  // Returns how long to wait after another failure.
  Nanos Next(RedisJitter& jitter) {
    const Nanos bound = bound_;
    bound_ = bound_ * 2 < settings_.max ? bound_ * 2 : settings_.max;
    return jitter.Between(settings_.min, bound);
  }
  // Records how long a connection lasted. The backoff is reset only after a connection that lasted
  // at least as long as the maximum wait; otherwise a connection that breaks at once would be
  // reopened again and again without backoff.
  void Held(Nanos length) {
    if (length >= settings_.max) Reset();
  }
  void Reset() { bound_ = settings_.first; }

 private:
  const Settings settings_;
  Nanos bound_;  // upper bound of the next wait
};

}  // namespace sluice
