// Step: a line of a trace.
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

// Returns the name of an op in steps and replies.
std::string_view OpName(Op op);

// Returns whether the op asks to pass, so that its reply counts as allowed or refused. A peek takes
// nothing, a renew keeps a permit that is held, and debt, refund, reset and release cannot be
// refused.
constexpr bool AsksToPass(Op op) { return op == Op::kCheck || op == Op::kAcquire; }

// A step of a trace with its defaults: {"t": 0, "cost": 2, "op": "check", "key": "k"}.
struct Step {
  Time t{};
  Op op = Op::kCheck;
  Cost cost{};
  std::string key = "k";
  std::optional<std::string> id;  // id of a permit; only for acquire, renew and release

  friend bool operator==(const Step& a, const Step& b) {
    return a.t == b.t && a.op == b.op && a.cost.units == b.cost.units && a.key == b.key &&
           a.id == b.id;
  }
};

// Reads one line of JSON. An error has the column, if it is known, and what was expected.
Result<Step> ReadStep(std::string_view line);

// Returns an error if the op does not fit limits of this algorithm; it says which op to use.
Result<Done> CheckOpFits(const Step& step, Algorithm algorithm);

}  // namespace sluice::cli
