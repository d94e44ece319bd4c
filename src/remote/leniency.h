// Which of two terms lets more pass.
#pragma once

#include "core/limit.h"
#include "remote/remote_limit.h"

namespace sluice {

// Whether `one` is more lenient than `other`: it lets more pass in the long run, or as much and
// more at once. Of terms that are alike in both the tags decide, so that of two tags that differ
// one always is.
bool IsMoreLenient(const RemoteLimit& one, const RemoteLimit& other);

// For how long first terms that only requests under others charge stay the first: until nothing
// that they let pass at once can be missing any more, and a little longer.
Nanos KeptFor(const Terms& terms);

}  // namespace sluice
