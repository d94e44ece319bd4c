#include "core/algorithm/debt.h"

namespace sluice {

Uint128 CarryUsed(const Room& from, const Room& to, Uint128 held) {
  const auto carried = [&](Uint128 ticks) {
    return MulDivCeil(ticks, to.interval.ticks_per_unit, from.interval.ticks_per_unit);
  };
  const Uint128 within = carried(std::min(held, from.burst));
  const Uint128 beyond = carried(held) - within;
  return std::min(std::min(within, to.max) + beyond, FurthestAhead(to));
}

}  // namespace sluice
