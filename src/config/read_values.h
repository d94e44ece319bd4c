// ReadValues: the documents of a configuration file.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "config/secrecy.h"
#include "core/value.h"

namespace sluice {

// Of a file *.json the one value of ReadJson, of any other the documents of ReadYaml.
std::variant<std::vector<Value>, PositionedError> ReadValues(std::string_view file_name,
                                                             std::string_view text,
                                                             Secrecy secrecy = Secrecy::kOpen);

}  // namespace sluice
