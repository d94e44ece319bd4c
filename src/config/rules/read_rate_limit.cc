#include "config/rules/read_rate_limit.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/letter_case.h"
#include "base/text.h"
#include "config/rules/read_limits.h"
#include "core/limit/limit.h"
#include "core/limit/parse_limit.h"

namespace sluice {
namespace {

using Entry = Value::Entry;

// The names of units in envoyproxy/ratelimit, each with our PERIOD: a month is 30 days, a year is
// 365 days, and windows are aligned to 1970.
struct Unit {
  std::string_view name;
  std::string_view period;
};
constexpr std::array kUnits = {
    Unit{"second", "s"}, Unit{"minute", "m"},    Unit{"hour", "h"},    Unit{"day", "d"},
    Unit{"week", "w"},   Unit{"month", "month"}, Unit{"year", "year"},
};

// The keys that exist only in their format, and the keys that both formats share.
constexpr std::array<std::string_view, 3> kForeignKeys = {"unit", "requests_per_unit", "unlimited"};
constexpr std::array<std::string_view, 2> kSharedKeys = {"name", "replaces"};

constexpr std::int64_t kMaxRequests = std::numeric_limits<std::uint32_t>::max();

// A rate_limit in either format while it is being read.
struct Draft {
  const Unit* unit = nullptr;
  std::optional<std::int64_t> requests;
  std::optional<bool> unlimited = false;  // none if the value is invalid
  std::string name;
  std::vector<ReplacedSpec> replaces;
};

void ReadUnit(const Entry& entry, ConfigReader& reading, Draft& draft) {
  const std::optional<std::string> text = ReadString(entry, reading);
  if (!text) return;
  const std::string lower = LowerCase(*text);
  std::array<std::string_view, kUnits.size()> names;
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    names[i] = kUnits[i].name;
    if (names[i] == lower) draft.unit = &kUnits[i];
  }
  if (draft.unit != nullptr) return;
  reading.Error(entry.value.At(), Concat("unknown unit ", Quoted(*text), Suggestion(lower, names)));
}

void ReadRequestsPerUnit(const Entry& entry, ConfigReader& reading, Draft& draft) {
  draft.requests = ReadWholeIn({0, kMaxRequests}, entry, reading);
}

void ReadUnlimited(const Entry& entry, ConfigReader& reading, Draft& draft) {
  draft.unlimited = ReadBoolean(entry, reading);
}

void ReadLimitName(const Entry& entry, ConfigReader& reading, Draft& draft) {
  if (auto name = ReadName(entry, reading)) draft.name = *std::move(name);
}

struct Named {
  std::string name;
};
constexpr std::array kReplacedFields = {
    Field<Named>{"name", [](const Entry& entry, ConfigReader& reading,
                            Named& out) { out.name = ReadName(entry, reading).value_or(""); }},
};

// Reads { name: NAME } or a plain name.
void ReadReplaced(const Value& value, ConfigReader& reading, Draft& draft) {
  if (const std::string* text = value.AsString()) {
    if (!CheckName(*text, value.At(), reading)) return;
    draft.replaces.push_back({*text, reading.OriginOf(value.At())});
    return;
  }
  const Value::Map* map = ReadMap("an element of 'replaces'", value, reading);
  if (map == nullptr) return;
  Named named;
  ReadFields<Named>(*map, kReplacedFields, reading, named);
  const Value* name = value.Find("name");
  if (Lacks(*map, "name")) reading.Error(value.At(), "an element of 'replaces' needs a 'name'");
  if (named.name.empty()) return;
  draft.replaces.push_back({std::move(named.name), reading.OriginOf(name->At())});
}

void ReadReplaces(const Entry& entry, ConfigReader& reading, Draft& draft) {
  const Value::List* list = ReadList(entry, reading);
  if (list == nullptr) return;
  for (const Value& item : *list) ReadReplaced(item, reading, draft);
}

constexpr std::array kRateLimitFields = {
    Field<Draft>{"unit", ReadUnit},
    Field<Draft>{"requests_per_unit", ReadRequestsPerUnit},
    Field<Draft>{"unlimited", ReadUnlimited},
    Field<Draft>{"name", ReadLimitName},
    Field<Draft>{"replaces", ReadReplaces},
};
constexpr auto kSharedFields = std::to_array<Field<Draft>>({
    {"name", ReadLimitName},
    {"replaces", ReadReplaces},
});

void TakeShared(Draft draft, ConfigReader& reading, DescriptorSpec& out) {
  for (const ReplacedSpec& replaced : draft.replaces) {
    if (replaced.name != draft.name) continue;
    reading.Error(replaced.origin.at, Concat("the limit ", Quoted(draft.name), " replaces itself"));
  }
  out.limit_name = std::move(draft.name);
  out.replaces = std::move(draft.replaces);
}

std::optional<Limit> ReadOwnLimit(const Value& value, ConfigReader& reading) {
  auto limit = ParseLimit(value, reading.Zones());
  if (auto* error = std::get_if<PositionedError>(&limit)) {
    reading.Error(error->at, std::move(error->message));
    return std::nullopt;
  }
  return std::move(*std::get_if<Limit>(&limit));
}

// Reads a limit in our own format, which may have `name` and `replaces` in addition.
void ReadOwnMap(const Value& value, ConfigReader& reading, DescriptorSpec& out) {
  Draft draft;
  for (const Entry& entry : *value.AsMap()) {
    const auto shared = std::ranges::find(kSharedFields, entry.key, &Field<Draft>::key);
    if (shared != kSharedFields.end()) shared->read(entry, reading, draft);
    if (std::ranges::find(kForeignKeys, entry.key) == kForeignKeys.end()) continue;
    reading.Error(entry.key_at, Concat(Quoted(entry.key), " cannot be used with ",
                                       value.Find("rate") != nullptr ? "'rate'" : "'algorithm'"));
    return;
  }
  out.limit = ReadOwnLimit(WithoutKeys(value, kSharedKeys), reading);
  TakeShared(std::move(draft), reading, out);
}

// Reports keys that are invalid together with `unlimited: true`.
void CheckUnlimited(const Value::Map& map, ConfigReader& reading) {
  for (const Entry& entry : map) {
    if (entry.key != "unit" && entry.key != "requests_per_unit") continue;
    reading.Error(entry.key_at, Concat(Quoted(entry.key), " cannot be used with 'unlimited'"));
  }
}

// Reads a rate_limit in the format of envoyproxy/ratelimit. REQUIRES: value is a mapping.
void ReadForeignMap(const Value& value, ConfigReader& reading, DescriptorSpec& out) {
  Draft draft;
  ReadFields<Draft>(*value.AsMap(), kRateLimitFields, reading, draft);
  out.unlimited = draft.unlimited == true;
  if (out.unlimited) CheckUnlimited(*value.AsMap(), reading);
  if (draft.unlimited == false) {
    for (const std::string_view key : {"unit", "requests_per_unit"}) {
      if (!Lacks(*value.AsMap(), key)) continue;
      reading.Error(value.At(), Concat("'rate_limit' needs a ", Quoted(key)));
    }
  }
  if (draft.unlimited == false && draft.unit != nullptr && draft.requests) {
    const std::string rate = Concat(*draft.requests, "/", draft.unit->period);
    // The derived keys are recorded at the place of the keys that determine them.
    out.rate_limit_written.push_back({"algorithm", reading.OriginOf(value.At())});
    out.rate_limit_written.push_back(
        {"rate", reading.OriginOf(value.Find("requests_per_unit")->At())});
    out.limit = ReadOwnLimit(
        Value::MakeMap({{"algorithm", value.At(), Value::String("fixed_window", value.At())},
                        {"rate", value.At(), Value::String(rate, value.At())}},
                       value.At()),
        reading);
  }
  TakeShared(std::move(draft), reading, out);
}

}  // namespace

void ReadRateLimit(const Entry& entry, ConfigReader& reading, DescriptorSpec& out) {
  const Value& value = entry.value;
  out.rate_limit_written = LimitKeysOf(value, reading);
  if (value.AsString() != nullptr) {
    out.limit = ReadOwnLimit(value, reading);
  } else if (value.AsMap() == nullptr) {
    reading.Error(value.At(), MustBe("a mapping or a limit such as 100/m", entry));
  } else if (value.Find("rate") != nullptr || value.Find("algorithm") != nullptr) {
    ReadOwnMap(value, reading, out);
  } else {
    ReadForeignMap(value, reading, out);
  }
}

}  // namespace sluice
