// Traces: random sequences of steps that look for the edges of a limit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/calendar/calendar.h"
#include "sluice/decision.h"
#include "sluice/limit.h"
#include "sluice/time.h"
#include "support/core_state.h"
#include "support/oracle.h"
#include "support/random.h"
#include "support/subject.h"

namespace sluice::testing {

enum class Op { kCheck, kPeek, kDebt, kRefund, kReset };

struct Step {
  Op op = Op::kCheck;
  Cost cost;
  Time at{};  // may be before the previous step
};

std::string ToText(const Step& step);

// Makes the steps of one trace. Each step depends on the previous decision: its time may be exactly
// retry_after or one nanosecond earlier, its cost exactly `remaining` or one more.
class TraceMaker {
 public:
  // `random` must outlive it. `zone` is null unless the limit has calendar windows.
  TraceMaker(const LimitSpec& spec, std::shared_ptr<const Zone> zone, Random& random);
  // Starts at the given time.
  TraceMaker(const LimitSpec& spec, std::shared_ptr<const Zone> zone, Random& random, Time start);

  // Returns the time at which the trace starts.
  [[nodiscard]] Time start() const { return now_; }

  // Returns the step to take after the previous step was answered with `last`.
  Step Next(const Decision& last);

  // Continues from `now` if that is later, because other keys have advanced the time.
  void CatchUp(Time now) { now_ = now_ < now ? now : now_; }

  // Return the parts of a step separately.
  Time NextTime(const Decision& last);
  Cost NextCost(const Decision& last);

 private:
  Time RandomStart();
  Nanos RandomMove(const Decision& last);
  Nanos CalendarMove();
  [[nodiscard]] Nanos UntilMultiple() const;

  std::shared_ptr<const Zone> zone_;
  Random& random_;
  Nanos period_;
  std::int64_t count_;
  Time now_;
};

Decision Take(Subject& subject, const Step& step);
Decision Take(Model& model, const Step& step);

// Returns whether two decisions agree, with all times within the tolerance.
bool Same(const Decision& got, const Decision& want, Nanos tolerance);
// Returns whether they differ in `allowed` only because floating point leaves the exact edge in
// doubt.
bool InDoubt(const Decision& got, const Decision& want, Nanos tolerance);

// Fails the test unless both give the same answers, in every field, to a random trace from `now`
// on. They are copies, so the caller's objects do not change.
void ExpectSameFuture(const LimitSpec& spec, CoreState a, CoreState b, Time now, Random& random);

// Runs one trace through both and fails the test at the first difference.
void ExpectSameAnswers(const LimitSpec& spec, TraceMaker& maker, Subject& subject, Model& model,
                       int steps);

}  // namespace sluice::testing
