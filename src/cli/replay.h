// Replay: steps through one limit, at the steps' own times.
#pragma once

#include <memory>
#include <string>

#include "cli/reply.h"
#include "cli/step.h"
#include "sluice/clock.h"
#include "sluice/limiter.h"
#include "sluice/result.h"

namespace sluice::cli {

// A clock that shows what it was set to.
class StepClock final : public Clock {
 public:
  [[nodiscard]] Time Now() override { return now_; }
  void SleepFor(Nanos /*length*/) override {}

  void Set(Time now) { now_ = now; }

 private:
  Time now_{};
};

// One limit in a Limiter of its own, with the key hash seeded alike every time, so that the same
// steps always get the same replies.
//
// Thread safety: none.
class Replay {
 public:
  static Result<std::unique_ptr<Replay>> Create(const LimitSpec& spec);

  // Decides one step. An op that does not belong to the limit's algorithm is an error and changes
  // nothing; the message says what to use.
  Result<Reply> Apply(const Step& step);

  // Whether any reply came from a state that several keys share for want of memory.
  [[nodiscard]] bool overflowed() const { return overflowed_; }

 private:
  explicit Replay(const LimitSpec& spec) : algorithm_(spec.algorithm) {}

  Decision Decide(const Step& step);

  Algorithm algorithm_;
  StepClock clock_;  // outlives limiter_
  std::unique_ptr<Limiter> limiter_;
  LimitHandle limit_;
  Time latest_{};
  bool overflowed_ = false;
};

}  // namespace sluice::cli
