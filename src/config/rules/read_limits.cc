#include "config/rules/read_limits.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/duration.h"
#include "base/text.h"
#include "core/limit/parse_limit.h"
#include "core/limit/rate.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 1> kNameKey = {"name"};

const Value::Entry* FindEntry(const Value& value, std::string_view key) {
  const Value::Map* map = value.AsMap();
  if (map == nullptr) return nullptr;
  const auto found = std::ranges::find(*map, key, &Value::Entry::key);
  return found == map->end() ? nullptr : &*found;
}

std::optional<NamedLimit> ReadLimit(const Value& value, ConfigReader& reading) {
  std::optional<std::string> name;
  bool named = true;
  if (const Value::Entry* entry = FindEntry(value, "name")) {
    name = ReadName(*entry, reading);
    named = name.has_value();
  }
  auto limit = ParseLimit(WithoutKeys(value, kNameKey), reading.Zones());
  if (auto* error = std::get_if<PositionedError>(&limit)) {
    reading.Error(error->at, std::move(error->message));
    return std::nullopt;
  }
  if (!named) return std::nullopt;
  Limit& made = *std::get_if<Limit>(&limit);
  std::string known_by = name ? *std::move(name) : NameOf(made.spec);
  return NamedLimit{std::move(known_by), std::move(made), reading.OriginOf(value.At()),
                    LimitKeysOf(value, reading)};
}

}  // namespace

std::string NameOf(const LimitSpec& spec) {
  if (!spec.rate) return "concurrency";
  for (const CalendarUnit unit : {CalendarUnit::kMonth, CalendarUnit::kYear}) {
    if (spec.rate->period == LengthOf(unit)) return unit == CalendarUnit::kMonth ? "month" : "year";
  }
  std::string text = FormatDuration(spec.rate->period);
  const bool is_one = text.size() > 1 && text[0] == '1' && text[1] >= 'a' && text[1] <= 'z';
  return is_one ? text.substr(1) : text;
}

WrittenKeys LimitKeysOf(const Value& value, const ConfigReader& reading) {
  if (value.AsString() != nullptr) return {{"rate", reading.OriginOf(value.At())}};
  return reading.KeysOf(value);
}

Value WithoutKeys(const Value& value, std::span<const std::string_view> keys) {
  const Value::Map* map = value.AsMap();
  if (map == nullptr) return value;
  Value::Map rest;
  for (const Value::Entry& entry : *map) {
    if (std::ranges::find(keys, entry.key) == keys.end()) rest.push_back(entry);
  }
  return Value::MakeMap(std::move(rest), value.At());
}

std::vector<NamedLimit> ReadLimits(const Value& value, ConfigReader& reading) {
  std::vector<NamedLimit> limits;
  const Value::List* list = value.AsList();
  if (list != nullptr && list->empty()) {
    reading.Error(value.At(), "a list of limits must not be empty");
  }
  if (list != nullptr && list->size() > kMaxLimits) {
    reading.Error(value.At(),
                  Concat("a list must have at most ", kMaxLimits, " limits, found ", list->size()));
    return limits;
  }
  const std::span<const Value> items =
      list != nullptr ? std::span<const Value>(*list) : std::span<const Value>(&value, 1);
  for (const Value& item : items) {
    std::optional<NamedLimit> limit = ReadLimit(item, reading);
    if (!limit) continue;
    if (std::ranges::find(limits, limit->name, &NamedLimit::name) != limits.end()) {
      reading.Error(item.At(), Concat("a second limit is known as ", Quoted(limit->name),
                                      "; give one of them a 'name' of its own"));
      continue;
    }
    limits.push_back(*std::move(limit));
  }
  return limits;
}

}  // namespace sluice
