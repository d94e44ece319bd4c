// CarryOver: converts the state of a limit whose variant changed to one with another kind of state.
//
// token_bucket may change between greedy and interval refill, and pacer between with and without
// warm-up. Convert handles all other changes of terms.
#pragma once

#include "core/algorithm/interval_bucket.h"
#include "core/algorithm/pacer.h"
#include "core/algorithm/token_bucket.h"
#include "core/algorithm/warm_up_pacer.h"

namespace sluice {

// Used units carry over, rounded up. Units within the burst are cut to what checks can take under
// the new terms; units beyond it (booked ahead, or a debt) carry over in full.
IntervalBucket::State CarryOver(const TokenBucket& from, const FineTime& tat,
                                const IntervalBucket& to, Time now);
FineTime CarryOver(const IntervalBucket& from, const IntervalBucket::State& state,
                   const TokenBucket& to, Time now);

// Time that is already booked stays booked. A key in use has no stored units afterwards.
WarmUpPacer::State CarryOver(const Pacer& from, const FineTime& tat, const WarmUpPacer& to,
                             Time now);
FineTime CarryOver(const WarmUpPacer& from, const WarmUpPacer::State& state, const Pacer& to,
                   Time now);

}  // namespace sluice
