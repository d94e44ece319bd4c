#include "cli/limit_text.h"

#include <cstddef>
#include <utility>
#include <variant>

#include "config/json.h"
#include "core/limit.h"
#include "core/parse_limit.h"
#include "core/value.h"
#include "limiter/system_zones.h"

namespace sluice::cli {
namespace {

// Plain values as they were written; lists and mappings, which no limit has, as nothing.
std::string TextOf(const Value& value) {
  if (const std::string* text = value.AsString()) return *text;
  if (const std::string* number = value.AsNumber()) return *number;
  if (const bool* boolean = value.AsBoolean()) return *boolean ? "true" : "false";
  return {};
}

// The rate first and the algorithm next, whatever the order in the mapping: "1/s, burst 5",
// "concurrency, max_in_flight 20".
std::string TitleOf(const Value& value) {
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
    append(entry.key + " " + TextOf(entry.value));
  }
  return title;
}

}  // namespace

Result<WrittenLimit> ReadLimitText(std::string_view text) {
  Value value = Value::String(std::string(text));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  // No string form begins like this; a list is no limit either, but as JSON it gets a better error.
  const bool is_json =
      first != std::string_view::npos && std::string_view("{[\"").find(text[first]) != text.npos;
  if (is_json) {
    auto read = ReadJson(text);
    if (const auto* error = std::get_if<PositionedError>(&read)) return Error{Describe("", *error)};
    value = std::get<Value>(std::move(read));
  }
  const auto limit = ParseLimit(value, SystemZones());
  if (const auto* error = std::get_if<PositionedError>(&limit)) {
    return Error{Describe("", *error)};
  }
  return WrittenLimit{std::get<Limit>(limit).spec, std::string(text), TitleOf(value)};
}

}  // namespace sluice::cli
