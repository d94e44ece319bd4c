// RedisBreaker: whether a node is worth asking.
#pragma once

#include <cstdint>

#include "remote/redis_jitter.h"
#include "sluice/time.h"

namespace sluice {

// Opens after so many failures in a row; then nothing is asked for a while, and after that one
// command alone, the probe. If it succeeds all may be asked again, if not the wait doubles.
//
// Thread safety: none.
//
// Invariants
//   (1) While it is open nothing is let through before its time.
//   (2) While a probe is under way nothing else is let through.
//   (3) A success closes it, whoever had it: the node works.
class RedisBreaker {
 public:
  enum class State : std::uint8_t { kClosed, kOpen, kProbing };

  struct Settings {
    std::uint32_t failures_most = 5;  // in a row
    RedisPacing::Settings rest{.least = std::chrono::milliseconds{50},
                               .first = std::chrono::milliseconds{200},
                               .most = std::chrono::seconds{2}};
  };

  explicit RedisBreaker(const Settings& settings) : settings_(settings), pacing_(settings.rest) {}

  // Whether a command may be sent. If it is the probe, its end is to be told.
  [[nodiscard]] bool Admit(Time now) {
    if (state_ == State::kClosed) return true;
    if (state_ == State::kProbing || now < open_until_) return false;
    state_ = State::kProbing;
    return true;
  }

  void Succeed() {
    failures_ = 0;
    state_ = State::kClosed;
    pacing_.Reset();
  }

  // True if this opened it.
  bool Fail(Time now, RedisJitter& jitter) {
    ++failures_;
    // Those that were sent before it opened say nothing new.
    if (state_ == State::kOpen) return false;
    if (state_ == State::kClosed && failures_ < settings_.failures_most) return false;
    state_ = State::kOpen;
    open_until_ = now + pacing_.Next(jitter);
    return true;
  }

  // The probe never left, so that another may be tried.
  void Withdraw() {
    if (state_ == State::kProbing) state_ = State::kOpen;
  }

  [[nodiscard]] State state() const { return state_; }

 private:
  const Settings settings_;
  RedisPacing pacing_;
  State state_ = State::kClosed;
  std::uint32_t failures_ = 0;  // in a row
  Time open_until_{};
};

}  // namespace sluice
