// Expectation: a condition that a load run must meet, such as "p99<1ms".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "load/measurements.h"
#include "sluice/result.h"

namespace sluice {

// Written as METRIC OPERATOR VALUE, with or without blanks between them.
//   pN (p50, p99.9), min, mean, max   a latency: 1ms, 250us; N has at most four decimals
//   rate                              answers per second: 300000
//   requests, allowed, refused,       counts
//   errors
// Operators are < <= = >= >.
//
// A value. Thread safety: immutable.
class Expectation {
 public:
  static Result<Expectation> Parse(std::string_view text);

  // Returns whether the report meets the expectation. A latency is not met if nothing was answered.
  [[nodiscard]] bool Holds(const LoadReport& report) const;

  // The text it was parsed from.
  [[nodiscard]] const std::string& text() const { return text_; }
  // Returns the measured value: a latency in nanoseconds, a rate or a count. Returns nullopt for a
  // latency if nothing was answered.
  [[nodiscard]] std::optional<double> Found(const LoadReport& report) const;
  [[nodiscard]] bool is_latency() const { return metric_ <= Metric::kMax; }

 private:
  enum class Metric : std::uint8_t {
    kQuantile,
    kMin,
    kMean,
    kMax,
    kRate,
    kRequests,
    kAllowed,
    kRefused,
    kErrors,
  };
  enum class Operator : std::uint8_t { kBelow, kAtMost, kEqual, kAtLeast, kAbove };

  Expectation() = default;

  static Result<Metric> ReadMetric(std::string_view word, Portion& share);
  Result<Done> ReadValue(std::string_view text);

  std::string text_;
  Metric metric_ = Metric::kErrors;
  Portion share_;  // only with kQuantile
  Operator operator_ = Operator::kEqual;
  double value_ = 0;  // nanoseconds, answers per second, or a count
};

}  // namespace sluice
