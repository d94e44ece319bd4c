// Random limits that are valid by their meaning, of every kind and size.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "core/limit.h"
#include "sluice/decision.h"
#include "sluice/limit.h"
#include "support/random.h"

namespace sluice::testing {

// What a test is run over: an algorithm, or a variant of one with a state of its own.
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

// Every kind that is driven by check and refund: all but kConcurrency.
std::vector<Kind> RateKinds();
std::string NameOf(Kind kind);
void PrintTo(Kind kind, std::ostream* out);

LimitSpec RandomLimit(Kind kind, Random& random);

// The limit that MakeLimit makes of a spec it must accept; fails the test otherwise.
Limit MustMake(const LimitSpec& spec);
// The zone of a spec, as the C library reads it; null unless it has calendar windows.
std::shared_ptr<const Zone> ZoneOf(const LimitSpec& spec);

// Whether a cost may have no number to be above: the pacers.
bool HasUnits(const LimitSpec& spec);

// For messages.
std::string ToText(const LimitSpec& spec);
std::string ToText(const Decision& decision);

}  // namespace sluice::testing
