// The grpc-timeout header: how long the caller waits for a reply.
#pragma once

#include <string_view>

#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice {

// Parses one to eight digits and a unit (H M S m u n); "250m" is 250 ms. 0 is a deadline that has
// already passed. Timeouts that do not fit (more than 292 years) become Nanos::max(). Any other
// text is an error.
Result<Nanos> ParseGrpcTimeout(std::string_view text);

}  // namespace sluice
