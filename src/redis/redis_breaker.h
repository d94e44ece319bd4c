// RedisBreaker: a circuit breaker for one Redis node.
#pragma once

#include <algorithm>
#include <cstdint>

#include "redis/redis_jitter.h"
#include "sluice/time.h"

namespace sluice {

// The breaker opens after several refusals in a row, or after several time slices in a row in which
// most commands were late. It counts slices instead of commands because one pause of a server makes
// many commands late and is no reason to stop using it. While the breaker is open, commands are
// rejected for a while and then admitted one at a time, as probes. A failed probe lengthens the
// next wait; enough successful probes in a row close the breaker. If it opens again soon after it
// closed, the problem has not passed, and the wait is a long one.
//
// Thread safety: none. Results of commands that were sent before it opened are ignored while it is
// open.
//
// Invariants
//   (1) While it is open, no command is admitted before the wait has ended. A new connection ends a
//       wait, but not a long one.
//   (2) While a probe is in flight, no other command is admitted.
//   (3) It closes only when max_trial probes in a row have succeeded.
//   (4) In any time T it opens at most 2 + T / steady times.
//   (5) If it was closed for `steady` before it opened, no wait for a probe is longer than
//       rest.most.
class RedisBreaker {
 public:
  enum class State : std::uint8_t { kClosed, kOpen, kProbing };
  enum class Failure : std::uint8_t {
    kRefused,  // the node reports that it cannot serve commands
    kLate,     // the node has not replied in time
  };

  struct Settings {
    std::uint32_t max_failures = 5;  // refusals, or bad slices, in a row
    Nanos slice = std::chrono::milliseconds{10};
    std::uint32_t max_trial = 10;
    Nanos steady = std::chrono::seconds{5};
    RedisPacing::Settings rest{.min = std::chrono::milliseconds{50},
                               .first = std::chrono::milliseconds{200},
                               .max = std::chrono::seconds{2}};
  };

  explicit RedisBreaker(const Settings& settings) : settings_(settings), pacing_(settings.rest) {}

  // Returns whether a command may be sent. If the command is the probe, its result must be
  // reported.
  [[nodiscard]] bool Admit(Time now) {
    if (state_ == State::kClosed) return true;
    if (state_ == State::kProbing || now < open_until_) return false;
    state_ = State::kProbing;
    return true;
  }

  // Records that the node has served a command in time.
  void Succeed(Time now) {
    refusals_ = 0;
    if (state_ == State::kClosed) return AddToSlice(now, false);
    if (state_ != State::kProbing) return;
    state_ = State::kOpen;  // admits the next probe at once
    if (++trial_ >= settings_.max_trial) Close(now);
  }

  // Records a failure. Returns true if it opened the breaker.
  bool Fail(Failure failure, Time now, RedisJitter& jitter) {
    if (state_ == State::kOpen) return false;
    if (state_ == State::kProbing) {
      is_long_ = false;
      Rest(now + pacing_.Next(jitter));
      return false;
    }
    if (failure == Failure::kRefused) ++refusals_;
    AddToSlice(now, true);
    const bool opens = refusals_ >= settings_.max_failures || BadSlices() >= settings_.max_failures;
    if (opens) Open(now, jitter);
    return opens;
  }

  // Records that the probe was never sent, so that another command may become the probe.
  void Withdraw() {
    if (state_ == State::kProbing) state_ = State::kOpen;
  }

  // Records a new connection, which makes a probe worthwhile.
  void Connected(Time now) {
    if (!is_long_) open_until_ = std::min(open_until_, now);
  }

  // Resets the breaker because it now guards a different server.
  void Renew() {
    Close(kNeverClosed);
    refusals_ = 0;
  }

  [[nodiscard]] State state() const { return state_; }

 private:
  static constexpr Time kNeverClosed{Nanos::min() / 2};

  // Counts the commands that ended within `slice` of the first of them.
  struct Slice {
    Time end{};
    std::uint32_t good = 0;
    std::uint32_t bad = 0;
    [[nodiscard]] bool is_bad() const { return bad > good; }
  };

  void AddToSlice(Time now, bool is_bad) {
    if (now >= slice_.end) {
      bad_slices_ = slice_.is_bad() ? bad_slices_ + 1 : 0;
      slice_ = {.end = now + settings_.slice};
    }
    ++(is_bad ? slice_.bad : slice_.good);
  }
  [[nodiscard]] std::uint32_t BadSlices() const { return slice_.is_bad() ? bad_slices_ + 1 : 0; }

  void Open(Time now, RedisJitter& jitter) {
    // Nodes that gave up on the server together must not all come back at the same time.
    const Nanos longer = jitter.Between(settings_.steady, settings_.steady + settings_.rest.max);
    is_long_ = now < closed_at_ + settings_.steady;
    if (!is_long_) pacing_.Reset();
    Rest(now + (is_long_ ? longer : pacing_.Next(jitter)));
  }
  void Rest(Time until) {
    state_ = State::kOpen;
    open_until_ = until;
    trial_ = 0;
  }
  void Close(Time now) {
    state_ = State::kClosed;
    closed_at_ = now;
    slice_ = {};
    bad_slices_ = 0;
  }

  const Settings settings_;
  RedisPacing pacing_;
  State state_ = State::kClosed;
  std::uint32_t refusals_ = 0;    // in a row
  std::uint32_t bad_slices_ = 0;  // in a row, not counting the current slice
  Slice slice_;
  std::uint32_t trial_ = 0;  // successful probes in a row
  Time closed_at_ = kNeverClosed;
  Time open_until_{};
  bool is_long_ = false;  // the current wait is long: the breaker reopened soon after it closed
};

}  // namespace sluice
