#include "core/format_limit.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "core/decimal.h"
#include "core/duration.h"
#include "core/limit_words.h"
#include "core/text.h"

namespace sluice {
namespace {

// Every text a limit can hold (names, durations, zones) is free of what JSON would escape.
std::string Text(std::string_view text) { return Concat("\"", text, "\""); }

std::string Format(bool value) { return value ? "true" : "false"; }
std::string Format(std::int64_t value) { return std::to_string(value); }
std::string Format(Nanos value) { return value == Nanos{0} ? "0" : Text(FormatDuration(value)); }
std::string Format(const Rate& value) { return Text(FormatRate(value)); }
std::string Format(const std::string& value) { return Text(value); }
std::string Format(const Fraction& value) {
  const std::optional<Decimal> number = ToDecimal(value);
  return number ? Format(*number) : std::string();
}
template <typename T>
requires std::is_enum_v<T> std::string Format(T value) { return Text(WordOf(value)); }

class Mapping {
 public:
  template <typename T>
  Mapping& Add(std::string_view key, const std::optional<T>& value) {
    if (!value) return *this;
    if (!entries_.empty()) entries_ += ",";
    entries_ += Concat(Text(key), ":", Format(*value));
    return *this;
  }

  [[nodiscard]] std::string ToJson() const { return Concat("{", entries_, "}"); }

 private:
  std::string entries_;
};

bool IsRateAlone(const LimitSpec& spec) {
  LimitSpec rate_alone;
  rate_alone.rate = spec.rate;
  return spec.rate.has_value() && spec == rate_alone;
}

}  // namespace

std::string FormatLimit(const LimitSpec& spec) {
  if (IsRateAlone(spec)) return FormatRate(*spec.rate);
  std::optional<Algorithm> algorithm = spec.algorithm;
  if (spec.algorithm == Algorithm::kTokenBucket) algorithm.reset();
  return Mapping()
      .Add("algorithm", algorithm)
      .Add("rate", spec.rate)
      .Add("burst", spec.burst)
      .Add("refill", spec.refill)
      .Add("aligned", spec.aligned)
      .Add("max_wait", spec.max_wait)
      .Add("delay_after", spec.delay_after)
      .Add("window", spec.window)
      .Add("zone", spec.zone)
      .Add("count_refused", spec.count_refused)
      .Add("min_gap", spec.min_gap)
      .Add("buckets", spec.buckets)
      .Add("oldest", spec.oldest)
      .Add("warm_up", spec.warm_up)
      .Add("cold_factor", spec.cold_factor)
      .Add("max_in_flight", spec.max_in_flight)
      .Add("ttl", spec.ttl)
      .ToJson();
}

}  // namespace sluice
