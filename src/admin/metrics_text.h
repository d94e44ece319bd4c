// MetricsText: metrics in the Prometheus text format.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/time.h"

namespace sluice {

enum class MetricKind : std::uint8_t { kCounter, kGauge, kHistogram };

// A histogram of durations. Views the data of the caller.
struct TimesTaken {
  std::span<const Nanos> bounds;          // upper ends of the buckets, ascending
  std::span<const std::uint64_t> counts;  // per bucket, and a last one for everything longer
  std::uint64_t nanos = 0;                // sum of all durations
};

// Appends metrics to a text, one after another: Begin, then its samples. To omit a metric that has
// no samples, do not call Begin for it.
//
// Thread safety: none. Ownership: refers to the text, which must outlive it.
//
// Units: durations are written in seconds, exactly.
class MetricsText {
 public:
  using Label = std::pair<std::string_view, std::string_view>;
  using Labels = std::initializer_list<Label>;

  explicit MetricsText(std::string& out) : out_(out) {}

  // REQUIRES: name and help are constants of this program, not input, because they are not escaped.
  void Begin(std::string_view name, MetricKind kind, std::string_view help);

  // Label values are escaped.
  void Sample(Labels labels, std::integral auto value) { Line("", labels, std::to_string(value)); }
  void Sample(Labels labels, Nanos length);
  // REQUIRES: Begin was called with kHistogram. Takes exactly one label.
  void Histogram(const Label& label, const TimesTaken& times);

 private:
  void Line(std::string_view suffix, Labels labels, std::string_view value);

  std::string& out_;
  std::string name_;
};

}  // namespace sluice
