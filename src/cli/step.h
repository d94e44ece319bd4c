// Step: one line of a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/decision.h"
#include "sluice/limit.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice::cli {

enum class Op : std::uint8_t { kCheck, kPeek, kDebt, kRefund, kReset, kAcquire, kRenew, kRelease };

// The name of an op, as it is written in steps and replies.
std::string_view OpName(Op op);

// Whether the op asks to pass, so that its answer counts as allowed or refused. A peek takes
// nothing, and debt, refund, reset and release cannot be refused.
constexpr bool AsksToPass(Op op) { return op == Op::kCheck || op == Op::kAcquire; }

// One step of a trace, as written: {"t": 0, "cost": 2, "op": "check", "key": "k"}.
struct Step {
  Time t{};
  Op op = Op::kCheck;
  Cost cost{};
  std::string key = "k";
  std::optional<std::string> id;  // of a permit; acquire, renew and release only

  friend bool operator==(const Step& a, const Step& b) {
    return a.t == b.t && a.op == b.op && a.cost.units == b.cost.units && a.key == b.key &&
           a.id == b.id;
  }
};

// Reads one line of JSON. An error says the column, where it is known, and what was expected.
Result<Step> ReadStep(std::string_view line);

// Whether a limit of this algorithm can be asked that; the error says what to ask instead.
Result<Done> CheckOpFits(const Step& step, Algorithm algorithm);

}  // namespace sluice::cli
