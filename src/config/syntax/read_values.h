// ReadValues: parses the documents of a configuration file.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "base/value.h"
#include "config/syntax/secrecy.h"

namespace sluice {

// Parses *.json with ReadJson, which returns one value, and any other file with ReadYaml, which
// returns its documents.
std::variant<std::vector<Value>, PositionedError> ReadValues(std::string_view file_name,
                                                             std::string_view text,
                                                             Secrecy secrecy = Secrecy::kOpen);

}  // namespace sluice
