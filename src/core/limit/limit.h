// Limit: a limit that has been checked and can make decisions.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "core/algorithm/concurrency.h"
#include "core/algorithm/fixed_window.h"
#include "core/algorithm/interval_bucket.h"
#include "core/algorithm/leaky_bucket.h"
#include "core/algorithm/pacer.h"
#include "core/algorithm/sliding_buckets.h"
#include "core/algorithm/sliding_log.h"
#include "core/algorithm/sliding_window.h"
#include "core/algorithm/token_bucket.h"
#include "core/algorithm/warm_up_pacer.h"
#include "core/calendar/calendar.h"
#include "sluice/limit.h"
#include "sluice/result.h"

namespace sluice {

// The numbers of a limit in the form that its algorithm needs.
using Terms = std::variant<TokenBucket, IntervalBucket, LeakyBucket, FixedWindow, SlidingLog,
                           SlidingWindow, SlidingBuckets, Pacer, WarmUpPacer, Concurrency>;

// A limit that has been checked. A value; only MakeLimit creates one.
struct Limit {
  LimitSpec spec;  // as configured
  Terms terms;

  friend bool operator==(const Limit& a, const Limit& b) { return a.spec == b.spec; }
};

// Finds a time zone by name; returns null if there is none.
using ZoneSource = std::function<std::shared_ptr<const Zone>(std::string_view name)>;

// The error in a spec: the key that caused it, as in rule files ("burst"), and a sentence.
struct LimitError {
  std::string key;
  std::string message;
};

// Checks a spec. Rejects everything that could overflow later, so that decisions cannot fail.
std::variant<Limit, LimitError> MakeLimit(const LimitSpec& spec, const ZoneSource& zones);

}  // namespace sluice
