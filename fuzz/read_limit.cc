#include "fuzz/read_limit.h"

#include <string>
#include <utility>

#include "config/syntax/json.h"
#include "core/limit/parse_limit.h"
#include "fuzz/zones.h"

namespace sluice::fuzz {

std::variant<Limit, PositionedError> ReadLimit(std::string_view text) {
  if (!text.starts_with('{')) return ParseLimit(Value::String(std::string(text), {1, 1}), FindZone);
  auto value = ReadJson(text);
  if (auto* error = std::get_if<PositionedError>(&value)) return std::move(*error);
  return ParseLimit(*std::get_if<Value>(&value), FindZone);
}

}  // namespace sluice::fuzz
