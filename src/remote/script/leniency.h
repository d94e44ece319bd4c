// Compares which of two terms admits more.
#pragma once

#include <memory>

#include "core/limit/limit.h"
#include "remote/script/remote_limit.h"

namespace sluice {

// Returns whether `one` is more lenient than `other`: it admits more in the long run, or as much in
// the long run and more at one instant. If both are equal, the tags decide, so that of two
// different tags exactly one is more lenient.
bool IsMoreLenient(const RemoteLimit& one, const RemoteLimit& other);

// Returns the more lenient terms as a node with `own` uses them: with at least its burst and its
// maximum wait, so that a cost that the limit itself can admit does not exceed them forever. Limits
// that count units in windows do not change. Null if nothing changes.
//
// The total is still bounded by the rate of the more lenient terms, and at one instant by the
// larger burst.
std::shared_ptr<const RemoteLimit> Widened(const RemoteLimit& first, const RemoteLimit& own);

// Returns how long it takes until all units are back after none was left, if nothing is booked
// ahead.
Nanos FillsIn(const Terms& terms);

// Returns how long first terms are kept that only requests under other terms use: until every unit
// that they admit at once must be back, plus a margin for reloads.
Nanos KeptFor(const Terms& terms);

}  // namespace sluice
