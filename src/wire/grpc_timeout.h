// The header grpc-timeout: how long the caller will wait.
#pragma once

#include <string_view>

#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice {

// "250m" is 250 ms: one to eight digits and a unit, H M S m u n. 0 is a deadline that has passed
// already; what does not fit (more than 292 years) is Nanos::max(). Anything else is malformed.
Result<Nanos> ParseGrpcTimeout(std::string_view text);

}  // namespace sluice
