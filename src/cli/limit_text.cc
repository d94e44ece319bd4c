#include "cli/limit_text.h"

#include <cstddef>
#include <utility>
#include <variant>

#include "config/json.h"
#include "core/format_limit.h"
#include "core/limit.h"
#include "core/parse_limit.h"
#include "core/value.h"
#include "limiter/system_zones.h"

namespace sluice::cli {

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
  return WrittenLimit{std::get<Limit>(limit).spec, std::string(text), LimitTitle(value)};
}

}  // namespace sluice::cli
