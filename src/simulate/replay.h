// Replay: applies the steps of a trace to one limit, at the times of the steps.
#pragma once

#include <memory>
#include <string>

#include "simulate/reply.h"
#include "simulate/step.h"
#include "sluice/clock.h"
#include "sluice/limiter.h"
#include "sluice/result.h"

namespace sluice::cli {

// A clock that returns the time it was set to.
class StepClock final : public Clock {
 public:
  [[nodiscard]] Time Now() override { return now_; }
  void SleepFor(Nanos /*length*/) override {}

  void Set(Time now) { now_ = now; }

 private:
  Time now_{};
};

// Owns a Limiter with one limit. The key hash has a fixed seed, so the same steps always get the
// same replies.
//
// Thread safety: none.
class Replay {
 public:
  static Result<std::unique_ptr<Replay>> Create(const LimitSpec& spec);

  // Decides a step. If the op does not fit the limit's algorithm, changes nothing and returns an
  // error that says which op to use.
  Result<Reply> Apply(const Step& step);

  // Returns whether any decision used a state that several keys share because memory is used up.
  [[nodiscard]] bool overflowed() const { return overflowed_; }

 private:
  explicit Replay(const LimitSpec& spec) : algorithm_(spec.algorithm) {}

  Decision Decide(const Step& step);

  Algorithm algorithm_;
  StepClock clock_;  // must outlive limiter_
  std::unique_ptr<Limiter> limiter_;
  LimitHandle limit_;
  Time latest_{};
  bool overflowed_ = false;
};

}  // namespace sluice::cli
