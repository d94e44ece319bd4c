// GateRequest: the attributes of a request, and the operations to apply.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "rules/compile/match.h"
#include "sluice/attribute.h"
#include "sluice/decision.h"

namespace sluice {

// The operation for the charges of a set of attributes.
enum class Purpose : std::uint8_t {
  kTake,      // take them if the request goes ahead
  kLook,      // report whether they would pass, and take nothing
  kGiveBack,  // refund them, even if the rest is refused
  kForget,    // reset their keys, even if the rest is refused
};

// Whether the purpose gives back units. A caller that may do that can lift every limit.
constexpr bool LiftsLimits(Purpose purpose) {
  return purpose == Purpose::kGiveBack || purpose == Purpose::kForget;
}

// A limit that a caller sends with its request, instead of the `descriptors`: an aligned window of
// one of these periods.
struct LimitOverride {
  enum class Period : std::uint8_t { kSecond, kMinute, kHour, kDay, kWeek, kMonth, kYear };
  static constexpr std::size_t kPeriods = 7;

  std::uint32_t count = 0;  // units per period; 0 refuses everything
  Period period = Period::kSecond;
};

// Attributes that are matched together, and their cost. A plain request has one set; each
// descriptor of an RLS call is one.
struct AttributeSet {
  std::span<const Attribute> attributes;
  Cost cost{};
  Purpose purpose = Purpose::kTake;
  std::optional<LimitOverride> limit = std::nullopt;
  // As in MatchedAttributes.
  std::string_view strict_path = {};
  Repeats repeats = Repeats::kFirstCounts;
  std::span<const Attribute> lenient_attributes = {};
};

// How to treat a request if the attribute that holds the cost of an enforced rule is no number.
enum class BadCost : std::uint8_t {
  kFault,   // a bad request: the caller gets an error
  kDenied,  // the set is denied as by a rule, for callers whose proxy lets requests pass on errors
};

// One request: its charges are taken all or none.
struct GateRequest {
  std::string_view domain;
  std::span<const AttributeSet> sets;
  Nanos answer_within = kNever;  // how long its caller will wait
  BadCost bad_cost = BadCost::kFault;
};

}  // namespace sluice
