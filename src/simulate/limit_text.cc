#include "simulate/limit_text.h"

#include <cstddef>
#include <utility>
#include <variant>

#include "base/value.h"
#include "config/syntax/json.h"
#include "core/limit/format_limit.h"
#include "core/limit/limit.h"
#include "core/limit/parse_limit.h"
#include "limiter/system_zones.h"

namespace sluice::cli {

Result<WrittenLimit> ReadLimitText(std::string_view text) {
  Value value = Value::String(std::string(text));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  // No limit in string form begins with these characters. A list is no limit either, but reading it
  // as JSON gives a better error.
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
  return WrittenLimit{std::get<Limit>(limit).spec, std::string(text), LimitTitle(value)};
}

}  // namespace sluice::cli
