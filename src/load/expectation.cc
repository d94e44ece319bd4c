#include "load/expectation.h"

#include <algorithm>
#include <array>
#include <variant>

#include "base/decimal.h"
#include "base/duration.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr std::string_view kMetrics =
    "a percentile such as p99, min, mean, max, rate, requests, allowed, refused or errors";

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// "p99.9" as 999,000 millionths.
std::optional<Portion> ReadShare(std::string_view word) {
  constexpr unsigned kMaxPlaces = 4;
  constexpr std::uint64_t kPerPercent = Portion::kAll / 100;
  if (!word.starts_with('p')) return std::nullopt;
  const auto read = ReadDecimal(word.substr(1));
  const auto* const percent = std::get_if<Decimal>(&read);
  if (percent == nullptr || percent->places > kMaxPlaces) return std::nullopt;
  const auto unit = static_cast<std::uint64_t>(PowerOfTen(percent->places));
  const Uint128 millionths = percent->scaled * (kPerPercent / unit);
  if (millionths == 0 || millionths > Portion::kAll) return std::nullopt;
  return Portion{static_cast<std::uint64_t>(millionths)};
}

}  // namespace

Result<Expectation::Metric> Expectation::ReadMetric(std::string_view word, Portion& share) {
  struct Known {
    std::string_view word;
    Metric metric;
  };
  constexpr std::array kKnown = {
      Known{"min", Metric::kMin},           Known{"mean", Metric::kMean},
      Known{"max", Metric::kMax},           Known{"rate", Metric::kRate},
      Known{"requests", Metric::kRequests}, Known{"allowed", Metric::kAllowed},
      Known{"refused", Metric::kRefused},   Known{"errors", Metric::kErrors},
  };
  const auto* const found = std::ranges::find(kKnown, word, &Known::word);
  if (found != kKnown.end()) return found->metric;
  const std::optional<Portion> read = ReadShare(word);
  if (!read) return Error{Concat("expected ", kMetrics, ", found ", Quoted(word))};
  share = *read;
  return Metric::kQuantile;
}

Result<Done> Expectation::ReadValue(std::string_view text) {
  if (is_latency()) {
    const Result<Nanos> length = ParseDuration(text);
    if (!length) return length.error();
    value_ = static_cast<double>(length.value().count());
    return Done{};
  }
  const auto number = ReadWhole(text);
  const auto* const whole = std::get_if<std::int64_t>(&number);
  if (whole == nullptr) return Error{Concat("expected a whole number, found ", Quoted(text))};
  value_ = static_cast<double>(*whole);
  return Done{};
}

Result<Expectation> Expectation::Parse(std::string_view text) {
  Expectation expectation;
  expectation.text_ = text;
  const std::size_t begin = text.find_first_of("<>=");
  if (begin == std::string_view::npos) {
    return Error{Concat("expected a comparison such as p99<1ms or errors=0, found ", Quoted(text))};
  }
  const bool has_two = text[begin] != '=' && text.substr(begin + 1).starts_with('=');
  const Result<Metric> metric = ReadMetric(Trimmed(text.substr(0, begin)), expectation.share_);
  if (!metric) return metric.error();
  expectation.metric_ = metric.value();
  if (text[begin] == '<') {
    expectation.operator_ = has_two ? Operator::kAtMost : Operator::kBelow;
  } else if (text[begin] == '>') {
    expectation.operator_ = has_two ? Operator::kAtLeast : Operator::kAbove;
  }
  const Result<Done> value = expectation.ReadValue(Trimmed(text.substr(begin + (has_two ? 2 : 1))));
  if (!value) return value.error();
  return expectation;
}

std::optional<double> Expectation::Found(const LoadReport& report) const {
  const Measurements& measured = report.measured;
  const Histogram& latencies = measured.latencies();
  if (is_latency() && latencies.total() == 0) return std::nullopt;
  switch (metric_) {
    case Metric::kQuantile:
      return static_cast<double>(latencies.Quantile(share_));
    case Metric::kMin:
      return static_cast<double>(latencies.min());
    case Metric::kMean:
      return latencies.mean();
    case Metric::kMax:
      return static_cast<double>(latencies.max());
    case Metric::kRate:
      return report.rate();
    case Metric::kRequests:
      return static_cast<double>(measured.requests());
    case Metric::kAllowed:
      return static_cast<double>(measured.allowed());
    case Metric::kRefused:
      return static_cast<double>(measured.refused());
    case Metric::kErrors:
      return static_cast<double>(measured.errors());
  }
  return std::nullopt;
}

bool Expectation::Holds(const LoadReport& report) const {
  const std::optional<double> found = Found(report);
  if (!found) return false;
  switch (operator_) {
    case Operator::kBelow:
      return *found < value_;
    case Operator::kAtMost:
      return *found <= value_;
    case Operator::kEqual:
      return *found == value_;
    case Operator::kAtLeast:
      return *found >= value_;
    case Operator::kAbove:
      return *found > value_;
  }
  return false;
}

}  // namespace sluice
