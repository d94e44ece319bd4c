#include "core/limit/format_limit.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/decimal.h"
#include "base/duration.h"
#include "base/enum_name.h"
#include "base/text.h"
#include "core/limit/limit_words.h"
#include "core/limit/rate.h"

namespace sluice {
namespace {

Value ToValue(bool value) { return Value::Boolean(value); }
Value ToValue(std::int64_t value) { return Value::Number(std::to_string(value)); }
Value ToValue(Nanos value) {
  return value == Nanos{0} ? Value::Number("0") : Value::String(FormatDuration(value));
}
Value ToValue(const Rate& value) { return Value::String(FormatRate(value)); }
Value ToValue(const std::string& value) { return Value::String(value); }
Value ToValue(const Fraction& value) {
  const std::optional<Decimal> number = ToDecimal(value);
  return Value::Number(number ? Format(*number) : std::string());
}
template <typename T>
requires std::is_enum_v<T> Value ToValue(T value) {
  return Value::String(std::string(WordOf(value)));
}

class Entries {
 public:
  template <typename T>
  Entries& Add(std::string_view key, const std::optional<T>& value) {
    if (value) map_.push_back({std::string(key), {}, ToValue(*value)});
    return *this;
  }

  [[nodiscard]] Value::Map Take() { return std::move(map_); }

 private:
  Value::Map map_;
};

// Returns a scalar as it is written. Lists and mappings, which limits never hold, become nothing.
std::string TextOf(const Value& value) {
  if (const std::string* text = value.AsString()) return *text;
  if (const std::string* number = value.AsNumber()) return *number;
  if (const bool* boolean = value.AsBoolean()) return *boolean ? "true" : "false";
  return {};
}

// No text in a limit (names, durations, zones) has a character that JSON would escape.
std::string JsonOf(const Value& value) {
  return value.AsString() != nullptr ? Concat("\"", TextOf(value), "\"") : TextOf(value);
}

bool IsRateAlone(const LimitSpec& spec) {
  LimitSpec rate_alone;
  rate_alone.rate = spec.rate;
  return spec.rate.has_value() && spec == rate_alone;
}

// Returns the entries without the algorithm if that is the default.
Value::Map WrittenEntries(const LimitSpec& spec) {
  Value::Map entries = LimitEntries(spec);
  if (spec.algorithm == Algorithm::kTokenBucket) entries.erase(entries.begin());
  return entries;
}

}  // namespace

Value::Map LimitEntries(const LimitSpec& spec) {
  return Entries()
      .Add("algorithm", std::optional(spec.algorithm))
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
      .Take();
}

std::string FormatLimit(const LimitSpec& spec) {
  if (IsRateAlone(spec)) return FormatRate(*spec.rate);
  std::string json;
  for (const Value::Entry& entry : WrittenEntries(spec)) {
    json += Concat(json.empty() ? "{" : ",", "\"", entry.key, "\":", JsonOf(entry.value));
  }
  return json + "}";
}

std::string LimitTitle(const Value& value) {
  const Value::Map* map = value.AsMap();
  if (map == nullptr) return TextOf(value);
  std::string title;
  const auto append = [&](const std::string& words) {
    if (!title.empty()) title += ", ";
    title += words;
  };
  for (const std::string_view first : {"rate", "algorithm"}) {
    if (const Value* found = value.Find(first)) append(TextOf(*found));
  }
  for (const Value::Entry& entry : *map) {
    if (entry.key == "rate" || entry.key == "algorithm") continue;
    append(Concat(entry.key, " ", TextOf(entry.value)));
  }
  return title;
}

std::string LimitTitle(const LimitSpec& spec) {
  return LimitTitle(Value::MakeMap(WrittenEntries(spec)));
}

}  // namespace sluice
