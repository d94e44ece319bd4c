// Steps: a table of requests and their expected answers, for the tests of the algorithms.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <vector>

#include "sluice/decision.h"

namespace sluice {

// Names the fields of a decision when a comparison fails.
inline void PrintTo(const Decision& decision, std::ostream* out) {
  *out << (decision.allowed ? "allowed" : "refused") << " limit=" << decision.limit
       << " remaining=" << decision.remaining << " retry_after=" << decision.retry_after.count()
       << " reset_after=" << decision.reset_after.count() << " wait=" << decision.wait.count();
}

namespace testing {

enum class Op : std::uint8_t { kCheck, kPeek, kDebt };
enum class Says : std::uint8_t { kYes, kNo };

// One request and its expected answer. Fields that are not set are not compared.
struct Step {
  Nanos at{0};
  std::int64_t cost = 1;
  Says says = Says::kYes;
  std::optional<std::int64_t> remaining = std::nullopt;
  std::optional<Nanos> retry_after = std::nullopt;
  std::optional<Nanos> reset_after = std::nullopt;
  std::optional<Nanos> wait = std::nullopt;
  Op op = Op::kCheck;
};

inline void ExpectAnswer(const Step& step, const Decision& decision) {
  EXPECT_EQ(decision.allowed, step.says == Says::kYes);
  EXPECT_EQ(decision.remaining, step.remaining.value_or(decision.remaining));
  EXPECT_EQ(decision.retry_after.count(), step.retry_after.value_or(decision.retry_after).count());
  EXPECT_EQ(decision.reset_after.count(), step.reset_after.value_or(decision.reset_after).count());
  EXPECT_EQ(decision.wait.count(), step.wait.value_or(decision.wait).count());
}

template <typename Limit, typename State>
Decision Take(const Limit& limit, State& state, const Step& step) {
  const Time now{step.at};
  const Cost cost{step.cost};
  if (step.op == Op::kPeek) return Peek(limit, state, cost, now);
  return step.op == Op::kDebt ? TakeDebt(limit, state, cost, now) : Check(limit, state, cost, now);
}

// Returns a step that takes a debt of `cost` units.
inline Step Debt(Nanos at, std::int64_t cost) {
  Step step{at, cost, Says::kYes};
  step.wait = Nanos{0};
  step.retry_after = Nanos{0};
  step.op = Op::kDebt;
  return step;
}

template <typename Limit, typename State>
void ExpectSteps(const Limit& limit, State& state, const std::vector<Step>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    SCOPED_TRACE(::testing::Message() << "step " << i << " at " << step.at.count());
    ExpectAnswer(step, Take(limit, state, step));
  }
}

// Expects a refusal whose request passes exactly after retry_after and not a nanosecond earlier.
template <typename Limit, typename State>
void ExpectRetryIsExact(const Limit& limit, const State& state, std::int64_t cost, Nanos at) {
  const Decision decision = Peek(limit, state, Cost{cost}, Time{at});
  ASSERT_FALSE(decision.allowed);
  ASSERT_NE(decision.retry_after, kNever);
  const Time then = Time{at} + decision.retry_after;
  EXPECT_FALSE(Peek(limit, state, Cost{cost}, then - Nanos{1}).allowed);
  EXPECT_TRUE(Peek(limit, state, Cost{cost}, then).allowed);
}

// Expects that a cost of `remaining` passes at once and that one more unit does not.
template <typename Limit, typename State>
void ExpectRemainingIsExact(const Limit& limit, const State& state, Nanos at) {
  const auto passes = [&](std::int64_t cost) {
    const Decision decision = Peek(limit, state, Cost{cost}, Time{at});
    return decision.allowed && decision.wait == Nanos{0};
  };
  const std::int64_t remaining = Peek(limit, state, Cost{0}, Time{at}).remaining;
  EXPECT_TRUE(passes(remaining));
  EXPECT_FALSE(passes(remaining + 1));
}

}  // namespace testing
}  // namespace sluice
