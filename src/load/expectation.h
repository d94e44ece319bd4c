// Expectation: what a run must reach, such as "p99<1ms".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "load/measurements.h"
#include "sluice/result.h"

namespace sluice {

// METRIC OPERATOR VALUE, without blanks or with.
//   pN (p50, p99.9), min, mean, max   a latency: 1ms, 250us; N has at most four decimals
//   rate                              answers a second: 300000
//   requests, allowed, refused,       counts
//   errors
// Operators are < <= = >= >.
//
// A value. Thread safety: immutable.
class Expectation {
 public:
  static Result<Expectation> Parse(std::string_view text);

  // Latencies without an answer are not there, and what is not there is not as expected.
  [[nodiscard]] bool Holds(const LoadReport& report) const;

  // As it was written.
  [[nodiscard]] const std::string& text() const { return text_; }
  // What it is about: a latency in nanoseconds, a rate or a count.
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
  Portion share_;  // of kQuantile
  Operator operator_ = Operator::kEqual;
  double value_ = 0;  // nanoseconds, or a count
};

}  // namespace sluice
