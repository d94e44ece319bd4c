// Random valid limits of every kind and size.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "core/limit/limit.h"
#include "sluice/decision.h"
#include "sluice/limit.h"
#include "support/random.h"

namespace sluice::testing {

// An algorithm, or a variant of one with its own state.
enum class Kind {
  kTokenBucket,
  kIntervalRefill,
  kLeakyBucket,
  kAlignedWindow,
  kFirstRequestWindow,
  kCalendarWindow,
  kStaggeredWindow,
  kSlidingLog,
  kSlidingWindow,
  kSlidingBuckets,
  kPacer,
  kWarmUpPacer,
  kConcurrency,
};

// Returns every kind that supports check and refund: all except kConcurrency.
std::vector<Kind> RateKinds();
std::string NameOf(Kind kind);
void PrintTo(Kind kind, std::ostream* out);

LimitSpec RandomLimit(Kind kind, Random& random);

// Returns the limit of a spec that MakeLimit must accept; fails the test otherwise.
Limit MustMake(const LimitSpec& spec);
// Returns the zone of a spec as the C library reads it, or null unless it has calendar windows.
std::shared_ptr<const Zone> ZoneOf(const LimitSpec& spec);

// Returns whether decisions have a limit in units: false for pacers.
bool HasUnits(const LimitSpec& spec);

// Return the text for failure messages.
std::string ToText(const LimitSpec& spec);
std::string ToText(const Decision& decision);

}  // namespace sluice::testing
