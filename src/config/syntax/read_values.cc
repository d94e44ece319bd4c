#include "config/syntax/read_values.h"

#include <utility>

#include "config/syntax/json.h"
#include "config/syntax/yaml.h"

namespace sluice {

std::variant<std::vector<Value>, PositionedError> ReadValues(std::string_view file_name,
                                                             std::string_view text,
                                                             Secrecy secrecy) {
  if (!file_name.ends_with(".json")) return ReadYaml(text, kMaxYamlBytes, secrecy);
  auto value = ReadJson(text, kMaxJsonBytes, secrecy);
  if (auto* error = std::get_if<PositionedError>(&value)) return std::move(*error);
  std::vector<Value> documents;
  documents.push_back(std::move(*std::get_if<Value>(&value)));
  return documents;
}

}  // namespace sluice
