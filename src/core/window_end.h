// WindowEnd: until when units that were just charged can be given back.
#pragma once

#include <optional>

#include "core/limit.h"
#include "sluice/decision.h"
#include "sluice/time.h"

namespace sluice {

// The end of the window, or part of one, in which a charge was made at `now` with this decision: a
// refund takes the newest units first, so after that it would give back units that others used.
// Nothing for limits without windows: there units are given back whenever that is.
std::optional<Time> WindowEnd(const Limit& limit, const Decision& decision, Time now);

// From when on units that were charged at `now` with this decision must not be given back: their
// window is over, a refill has come that a bucket without them might have had no use for, or they
// are back by themselves.
Time ReturnableUntil(const Limit& limit, const Decision& decision, Time now);

}  // namespace sluice
