// CarryOver: states of a limit whose variant changed, where the two keep different states.
//
// token_bucket may change between greedy and interval refill, pacer between with and without
// warm-up. Convert serves every other change of terms.
#pragma once

#include "core/interval_bucket.h"
#include "core/pacer.h"
#include "core/token_bucket.h"
#include "core/warm_up_pacer.h"

namespace sluice {

// Used units carry over, rounded up: of those within the burst at most as many as the new terms can
// hold, those beyond it whole.
IntervalBucket::State CarryOver(const TokenBucket& from, const FineTime& tat,
                                const IntervalBucket& to, Time now);
FineTime CarryOver(const IntervalBucket& from, const IntervalBucket::State& state,
                   const TokenBucket& to, Time now);

// Time already booked stays booked; a key in use has nothing stored afterwards.
WarmUpPacer::State CarryOver(const Pacer& from, const FineTime& tat, const WarmUpPacer& to,
                             Time now);
FineTime CarryOver(const WarmUpPacer& from, const WarmUpPacer::State& state, const Pacer& to,
                   Time now);

}  // namespace sluice
