// WindowEnd: the time until which charged units can be given back.
#pragma once

#include <optional>

#include "core/limit/limit.h"
#include "sluice/decision.h"
#include "sluice/time.h"

namespace sluice {

// Returns the end of the window, or of the part of one, in which a charge was made at `now` with
// this decision. After that, a refund would give back units that others used, because refunds take
// the newest units first. Returns nothing for limits without windows, whose units can be given back
// at any time.
std::optional<Time> WindowEnd(const Limit& limit, const Decision& decision, Time now);

// Returns the time from which units charged at `now` with this decision must not be given back:
// their window has ended, a refill has come for which a bucket without them might have had no room,
// or they have come back by themselves.
Time ReturnableUntil(const Limit& limit, const Decision& decision, Time now);

}  // namespace sluice
