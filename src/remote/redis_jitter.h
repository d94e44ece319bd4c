// RedisJitter: lengths of time that differ, so that clients do not all come at once.
#pragma once

#include <cstdint>

#include "sluice/time.h"

namespace sluice {

// A sequence that depends on its seed alone.
//
// Thread safety: none.
class RedisJitter {
 public:
  explicit RedisJitter(std::uint64_t seed) : state_(seed) {}

  // Any length from `least` to `most`, each as likely. REQUIRES: least <= most.
  Nanos Between(Nanos least, Nanos most) {
    const auto span = static_cast<std::uint64_t>((most - least).count()) + 1;
    return least + Nanos{static_cast<std::int64_t>(Bits() % span)};
  }

  // For a sequence of somebody else's.
  std::uint64_t Bits() {
    // SplitMix64, public domain: a counter, mixed.
    std::uint64_t mixed = (state_ += 0x9E3779B97F4A7C15U);
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }

 private:
  std::uint64_t state_;
};

// Waits that double with each failure up to a bound, any length up to that ("full jitter").
//
// Thread safety: none.
class RedisPacing {
 public:
  struct Settings {
    Nanos least = std::chrono::milliseconds{10};  // of any wait
    Nanos first = std::chrono::milliseconds{50};  // at most, after one failure
    Nanos most = std::chrono::seconds{1};         // at most, ever
  };

  explicit RedisPacing(const Settings& settings) : settings_(settings), bound_(settings.first) {}

  // How long to wait after another failure.
  Nanos Next(RedisJitter& jitter) {
    const Nanos bound = bound_;
    bound_ = bound_ * 2 < settings_.most ? bound_ * 2 : settings_.most;
    return jitter.Between(settings_.least, bound);
  }
  // What was made held for so long. Only if that is as long as any wait is the trouble over: else
  // something that breaks at once would be made again and again.
  void Held(Nanos length) {
    if (length >= settings_.most) Reset();
  }
  void Reset() { bound_ = settings_.first; }

 private:
  const Settings settings_;
  Nanos bound_;  // of the next wait
};

}  // namespace sluice
