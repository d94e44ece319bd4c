// UntilMore: how long until more units would pass.
#pragma once

#include "core/limit/limit.h"
#include "sluice/decision.h"

namespace sluice {

// Returns whether decisions of these terms contain enough for UntilMore. For the other algorithms
// only the state does.
[[nodiscard]] bool TellsMore(const Terms& terms);

// Returns the time until `remaining` grows beyond the decision's, with no other traffic. Returns 0
// if it does not grow, because all units are available, or if the decision does not tell (see
// TellsMore).
//
// Rounds up to the next nanosecond. If PERIOD/COUNT is not a whole number of nanoseconds, the
// result may be one nanosecond late.
[[nodiscard]] Nanos UntilMore(const Terms& terms, const Decision& decision);

// Returns the same time from `next`, the answer to a peek of remaining + 1 units. Always exact.
[[nodiscard]] Nanos UntilMoreBy(const Terms& terms, const Decision& next);

}  // namespace sluice
