// Traces: random sequences of steps that seek out the edges of a limit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/calendar.h"
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
  Time at{};  // may lie before the step before it
};

std::string ToText(const Step& step);

// Makes the steps of one trace. Each depends on the answer before it: a step exactly at
// retry_after or one nanosecond earlier, a cost of exactly `remaining` or one more.
class TraceMaker {
 public:
  // `random` must outlive it. `zone` is null unless the limit has calendar windows.
  TraceMaker(const LimitSpec& spec, std::shared_ptr<const Zone> zone, Random& random);
  // Starts at a given time.
  TraceMaker(const LimitSpec& spec, std::shared_ptr<const Zone> zone, Random& random, Time start);

  // When the trace starts.
  [[nodiscard]] Time start() const { return now_; }

  // The step to take after `last` was answered at the step before.
  Step Next(const Decision& last);

  // Goes on from `now`, where that is later: other keys have moved time on.
  void CatchUp(Time now) { now_ = now_ < now ? now : now_; }

  // The parts of a step on their own.
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

// Whether two answers agree, all times within a tolerance.
bool Same(const Decision& got, const Decision& want, Nanos tolerance);
// Whether they differ in `allowed` only because floating point leaves the edge itself in doubt.
bool InDoubt(const Decision& got, const Decision& want, Nanos tolerance);

// Fails the test unless both answer a random trace from `now` on alike, in every field. They are
// copied, so that neither changes.
void ExpectSameFuture(const LimitSpec& spec, CoreState a, CoreState b, Time now, Random& random);

// Runs one trace through both and fails the test at the first field that differs.
void ExpectSameAnswers(const LimitSpec& spec, TraceMaker& maker, Subject& subject, Model& model,
                       int steps);

}  // namespace sluice::testing
