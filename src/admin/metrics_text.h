// MetricsText: numbers in the text format of Prometheus.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

enum class MetricKind : std::uint8_t { kCounter, kGauge };

// Appends metrics to a text, one after another: Begin, then its samples.
//
// Thread safety: none. Refers to the text.
class MetricsText {
 public:
  using Label = std::pair<std::string_view, std::string_view>;

  explicit MetricsText(std::string& out) : out_(out) {}

  // REQUIRES: the name and the help are of this program, not of somebody's input.
  void Begin(std::string_view name, MetricKind kind, std::string_view help);

  // The values of labels are escaped.
  void Sample(std::initializer_list<Label> labels, std::int64_t value);

 private:
  std::string& out_;
  std::string name_;
};

}  // namespace sluice
