// Which of two terms lets more pass.
#pragma once

#include <memory>

#include "core/limit.h"
#include "remote/remote_limit.h"

namespace sluice {

// Whether `one` is more lenient than `other`: it lets more pass in the long run, or as much and
// more at once. Of terms that are alike in both the tags decide, so that of two tags that differ
// one always is.
bool IsMoreLenient(const RemoteLimit& one, const RemoteLimit& other);

// The more lenient terms as a node with `own` asks them: with at least its burst and its longest
// wait, so that what the limit itself can admit is not too much for them for ever. Of limits that
// count units in windows it is themselves. Null where that changes nothing.
//
// What passes in all is still bounded by the rate of the more lenient terms, and at one instant by
// the larger burst.
std::shared_ptr<const RemoteLimit> Widened(const RemoteLimit& first, const RemoteLimit& own);

// From none left until all is, where nothing is booked ahead of that.
Nanos FillsIn(const Terms& terms);

// For how long first terms that only requests under others charge stay the first: until nothing
// that they let pass at once can be missing any more, and a little longer.
Nanos KeptFor(const Terms& terms);

}  // namespace sluice
