#include "config/rules/read_match.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "rules/model/glob.h"
#include "rules/model/ip_address.h"

namespace sluice {
namespace {

using Entry = Value::Entry;
using Kind = MatcherSpec::Kind;

constexpr std::array<std::string_view, 4> kMatcherKeys = {"regex", "in", "not", "present"};
constexpr std::string_view kAddressAttribute = "ip";

// Reads a single value, or one value of a list.
std::optional<std::string> ReadMatchValue(const Value& value, std::string_view attribute,
                                          ConfigReader& reading) {
  std::optional<std::string> text = ScalarText(value);
  if (!text) {
    reading.Error(value.At(), Concat("a value to match must be a string, a number or a boolean, "
                                     "found ",
                                     value.Description()));
    return std::nullopt;
  }
  if (attribute == kAddressAttribute && !Glob::IsGlob(*text)) {
    const Result<IpPrefix> prefix = ParseIpPrefix(*text);
    if (!prefix.ok()) {
      reading.Error(value.At(), prefix.error().message);
      return std::nullopt;
    }
  }
  return text;
}

std::optional<MatcherSpec> ReadValues(const Value& value, std::string_view attribute,
                                      ConfigReader& reading) {
  MatcherSpec matcher{.kind = Kind::kValues, .texts = {}, .origin = reading.OriginOf(value.At())};
  const Value::List* list = value.AsList();
  if (list == nullptr) {
    std::optional<std::string> text = ReadMatchValue(value, attribute, reading);
    if (!text) return std::nullopt;
    matcher.texts.push_back(*std::move(text));
    return matcher;
  }
  if (list->empty()) {
    reading.Error(value.At(), "a list of values to match must not be empty");
    return std::nullopt;
  }
  for (const Value& item : *list) {
    if (auto text = ReadMatchValue(item, attribute, reading)) {
      matcher.texts.push_back(*std::move(text));
    }
  }
  return matcher;
}

// Reads { regex: TEXT } and { in: LIST }.
std::optional<MatcherSpec> ReadNamed(Kind kind, const Entry& entry, ConfigReader& reading) {
  const std::string* text = entry.value.AsString();
  if (text == nullptr) {
    reading.Error(entry.value.At(),
                  MustBe(kind == Kind::kIn ? "the name of a list" : "a string", entry));
    return std::nullopt;
  }
  return MatcherSpec{.kind = kind, .texts = {*text}, .origin = reading.OriginOf(entry.value.At())};
}

std::optional<MatcherSpec> ReadPresent(const Entry& entry, ConfigReader& reading) {
  const std::optional<bool> present = ReadBoolean(entry, reading);
  if (!present) return std::nullopt;
  return MatcherSpec{.kind = Kind::kPresent,
                     .texts = {},
                     .negated = !*present,
                     .origin = reading.OriginOf(entry.value.At())};
}

// Returns the only entry of { regex: }, { in: }, { not: } or { present: }, or null after an error.
const Entry* ReadMatcherEntry(const Value& value, ConfigReader& reading) {
  const Value::Map& map = *value.AsMap();
  if (map.empty()) {
    reading.Error(value.At(), Concat("a matcher must have one of the keys ",
                                     JoinWords(kMatcherKeys, "or"), ", found none"));
    return nullptr;
  }
  for (const Entry& entry : map) {
    if (std::ranges::find(kMatcherKeys, entry.key) == kMatcherKeys.end()) {
      reading.Error(entry.key_at,
                    Concat("unknown key ", Quoted(entry.key), Suggestion(entry.key, kMatcherKeys)));
      return nullptr;
    }
  }
  if (map.size() > 1) {
    reading.Error(map[1].key_at, Concat("a matcher must have one key, found ", Quoted(map[1].key),
                                        " after ", Quoted(map[0].key)));
    return nullptr;
  }
  return &map.front();
}

std::optional<MatcherSpec> ReadMatcher(const Value& value, std::string_view attribute,
                                       ConfigReader& reading) {
  if (value.AsMap() == nullptr) return ReadValues(value, attribute, reading);
  const Entry* entry = ReadMatcherEntry(value, reading);
  if (entry == nullptr) return std::nullopt;
  if (entry->key == "regex") return ReadNamed(Kind::kRegex, *entry, reading);
  if (entry->key == "in") return ReadNamed(Kind::kIn, *entry, reading);
  if (entry->key == "present") return ReadPresent(*entry, reading);
  std::optional<MatcherSpec> inner = ReadMatcher(entry->value, attribute, reading);
  if (inner) inner->negated = !inner->negated;
  return inner;
}

}  // namespace

std::vector<ConditionSpec> ReadMatch(const Entry& entry, ConfigReader& reading) {
  std::vector<ConditionSpec> conditions;
  const Value::Map* map = ReadMap("'match'", entry.value, reading);
  if (map == nullptr) return conditions;
  for (const Entry& condition : *map) {
    const bool named = CheckAttribute(condition.key, condition.key_at, reading);
    std::optional<MatcherSpec> matcher = ReadMatcher(condition.value, condition.key, reading);
    if (!named || !matcher) continue;
    conditions.push_back({condition.key, *std::move(matcher), reading.OriginOf(condition.key_at)});
  }
  return conditions;
}

}  // namespace sluice
