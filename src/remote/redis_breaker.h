// RedisBreaker: whether a node is worth asking.
#pragma once

#include <algorithm>
#include <cstdint>

#include "remote/redis_jitter.h"
#include "sluice/time.h"

namespace sluice {

// Opens where a node refuses its work several times in a row, or is too late for most commands for
// several slices of time in a row: one pause of a server makes many commands late, and is no reason
// to leave it. Then nothing is asked for a while, and after that one command at a time, the probe.
// A probe that fails makes the next wait longer; where enough of them succeed in a row it closes.
// If it has to open again soon after that the trouble has not passed, and the wait is a long one.
//
// Thread safety: none. What is told of commands that were sent before it opened says nothing new.
//
// Invariants
//   (1) While it is open nothing is let through before its time; a new connection ends a wait, but
//       not a long one.
//   (2) While a probe is under way nothing else is let through.
//   (3) It closes when trial_most probes in a row have succeeded, and only then.
//   (4) In any time T it opens at most 2 + T / steady times.
//   (5) Where it was closed for `steady` before it opened, no wait for a probe is longer than
//       rest.most.
class RedisBreaker {
 public:
  enum class State : std::uint8_t { kClosed, kOpen, kProbing };
  enum class Failure : std::uint8_t {
    kRefused,  // the node says that it cannot do its work
    kLate,     // it has said nothing in time
  };

  struct Settings {
    std::uint32_t failures_most = 5;  // refusals, or bad slices, in a row
    Nanos slice = std::chrono::milliseconds{10};
    std::uint32_t trial_most = 10;
    Nanos steady = std::chrono::seconds{5};
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

  // The node has done its work, in time.
  void Succeed(Time now) {
    refusals_ = 0;
    if (state_ == State::kClosed) return AddToSlice(now, false);
    if (state_ != State::kProbing) return;
    state_ = State::kOpen;  // for the next probe, at once
    if (++trial_ >= settings_.trial_most) Close(now);
  }

  // True if this opened it.
  bool Fail(Failure failure, Time now, RedisJitter& jitter) {
    if (state_ == State::kOpen) return false;
    if (state_ == State::kProbing) {
      is_long_ = false;
      Rest(now + pacing_.Next(jitter));
      return false;
    }
    if (failure == Failure::kRefused) ++refusals_;
    AddToSlice(now, true);
    const bool opens =
        refusals_ >= settings_.failures_most || BadSlices() >= settings_.failures_most;
    if (opens) Open(now, jitter);
    return opens;
  }

  // The probe never left, so that another may be tried.
  void Withdraw() {
    if (state_ == State::kProbing) state_ = State::kOpen;
  }

  // A server that was away is there again: whether it works a probe can tell.
  void Connected(Time now) {
    if (!is_long_) open_until_ = std::min(open_until_, now);
  }

  // Another server is asked from now on.
  void Renew() {
    Close(kNeverClosed);
    refusals_ = 0;
  }

  [[nodiscard]] State state() const { return state_; }

 private:
  static constexpr Time kNeverClosed{Nanos::min() / 2};

  // The commands that ended within `slice` of the first of them.
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
    // Nodes that left together are not to come back together.
    const Nanos longer = jitter.Between(settings_.steady, settings_.steady + settings_.rest.most);
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
  std::uint32_t bad_slices_ = 0;  // in a row, before the one under way
  Slice slice_;
  std::uint32_t trial_ = 0;  // probes that succeeded in a row
  Time closed_at_ = kNeverClosed;
  Time open_until_{};
  bool is_long_ = false;  // the wait: it has opened again soon
};

}  // namespace sluice
