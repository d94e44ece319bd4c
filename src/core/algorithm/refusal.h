// Refusal: how all algorithms build the decision of a refused request.
#pragma once

#include "sluice/decision.h"

namespace sluice {

// Returns the report of a state as a refusal: the same request passes after `retry_after`.
[[nodiscard]] constexpr Decision Refusal(Decision report, Nanos retry_after) {
  report.allowed = false;
  report.wait = Nanos{0};
  report.retry_after = retry_after;
  return report;
}

}  // namespace sluice
