// UntilMore: how long until more units would pass.
#pragma once

#include "core/limit.h"
#include "sluice/decision.h"

namespace sluice {

// Whether a decision of these terms says when `remaining` grows, so that UntilMore knows it. Of the
// others only the state says it.
[[nodiscard]] bool TellsMore(const Terms& terms);

// How long `remaining` stays what the decision says, with no other traffic; at that time it is
// larger. 0 where it does not grow, because all units are there, and where the decision does not
// say it.
//
// Rounds up to the next nanosecond. Where PERIOD/COUNT is no whole number of nanoseconds, it may be
// one nanosecond late.
[[nodiscard]] Nanos UntilMore(const Terms& terms, const Decision& decision);

// The same by asking: `next` is what a peek of remaining + 1 units answers. Always exact.
[[nodiscard]] Nanos UntilMoreBy(const Terms& terms, const Decision& next);

}  // namespace sluice
