// GateRequest: what is known of a request, and what is asked about it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "rules/match.h"
#include "sluice/attribute.h"
#include "sluice/decision.h"

namespace sluice {

// What is to be done with the charges that a set of attributes comes to.
enum class Purpose : std::uint8_t {
  kTake,      // take them if the request goes ahead
  kLook,      // say whether they would pass, and take nothing
  kGiveBack,  // refund them, whatever becomes of the rest
  kForget,    // reset their keys, whatever becomes of the rest
};

// Whether it gives units back that were taken: whoever may do that can lift every limit.
constexpr bool LiftsLimits(Purpose purpose) {
  return purpose == Purpose::kGiveBack || purpose == Purpose::kForget;
}

// A limit that a caller brings with its request, in place of the `descriptors`: an aligned window
// of one of these periods.
struct LimitOverride {
  enum class Period : std::uint8_t { kSecond, kMinute, kHour, kDay, kWeek, kMonth, kYear };
  static constexpr std::size_t kPeriods = 7;

  std::uint32_t count = 0;  // units in a period; 0 refuses everything
  Period period = Period::kSecond;
};

// Attributes that are matched together, and what they cost. A plain request has one set; each
// descriptor of an RLS call is one.
struct AttributeSet {
  std::span<const Attribute> attributes;
  Cost cost{};
  Purpose purpose = Purpose::kTake;
  std::optional<LimitOverride> limit = std::nullopt;
  // As MatchedAttributes has them.
  std::string_view strict_path = {};
  Repeats repeats = Repeats::kFirstCounts;
  std::span<const Attribute> lenient_attributes = {};
};

// What becomes of a request where the attribute that holds the cost of an enforced rule is no
// number.
enum class BadCost : std::uint8_t {
  kFault,   // it is bad, and its caller is told
  kDenied,  // the set is refused as if the rule denied it, for callers whose proxy lets errors pass
};

// One request: its charges are taken all or not at all.
struct GateRequest {
  std::string_view domain;
  std::span<const AttributeSet> sets;
  Nanos answer_within = kNever;  // how long its caller will wait
  BadCost bad_cost = BadCost::kFault;
};

}  // namespace sluice
