// Limit: a limit that has been checked, ready to decide with.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "core/calendar.h"
#include "core/concurrency.h"
#include "core/fixed_window.h"
#include "core/interval_bucket.h"
#include "core/leaky_bucket.h"
#include "core/pacer.h"
#include "core/sliding_buckets.h"
#include "core/sliding_log.h"
#include "core/sliding_window.h"
#include "core/token_bucket.h"
#include "core/warm_up_pacer.h"
#include "sluice/limit.h"
#include "sluice/result.h"

namespace sluice {

// The numbers of a limit, worked out for its algorithm.
using Terms = std::variant<TokenBucket, IntervalBucket, LeakyBucket, FixedWindow, SlidingLog,
                           SlidingWindow, SlidingBuckets, Pacer, WarmUpPacer, Concurrency>;

// A limit that has been checked. A value; only MakeLimit makes one.
struct Limit {
  LimitSpec spec;  // as written
  Terms terms;

  friend bool operator==(const Limit& a, const Limit& b) { return a.spec == b.spec; }
};

// Finds a time zone by name; null where there is none.
using ZoneSource = std::function<std::shared_ptr<const Zone>(std::string_view name)>;

// What is wrong with a spec: the key at fault (as in rule files, "burst"), and the sentence.
struct LimitError {
  std::string key;
  std::string message;
};

// Checks a spec. Everything that could overflow later is refused here, so that deciding cannot
// fail.
std::variant<Limit, LimitError> MakeLimit(const LimitSpec& spec, const ZoneSource& zones);

}  // namespace sluice
