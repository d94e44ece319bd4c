// MetricsText: numbers in the text format of Prometheus.
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

// How often something took how long. Views what it is made of.
struct TimesTaken {
  std::span<const Nanos> bounds;          // upper ends of ranges, ascending
  std::span<const std::uint64_t> counts;  // in each range, and one more for what took longer
  std::uint64_t nanos = 0;                // all of it together
};

// Appends metrics to a text, one after another: Begin, then its samples. A metric without samples
// is left out whole by not beginning it.
//
// Thread safety: none. Refers to the text.
//
// Units: lengths of time are told in seconds, exactly.
class MetricsText {
 public:
  using Label = std::pair<std::string_view, std::string_view>;
  using Labels = std::initializer_list<Label>;

  explicit MetricsText(std::string& out) : out_(out) {}

  // REQUIRES: the name and the help are of this program, not of somebody's input.
  void Begin(std::string_view name, MetricKind kind, std::string_view help);

  // The values of labels are escaped.
  void Sample(Labels labels, std::integral auto value) { Line("", labels, std::to_string(value)); }
  void Sample(Labels labels, Nanos length);
  // REQUIRES: a histogram was begun; one label.
  void Histogram(const Label& label, const TimesTaken& times);

 private:
  void Line(std::string_view suffix, Labels labels, std::string_view value);

  std::string& out_;
  std::string name_;
};

}  // namespace sluice
