// The JSON Schema (draft-07) of rule files, src/config/rules.schema.json, for editors.
#pragma once

#include <string_view>

namespace sluice {

// Its text, which the build puts into the program. It refuses nothing that the loader takes; what
// it cannot see (duplicate names, unreachable rules, names of things that are not there) is for
// the loader to say. tests/cli/schema.py holds the two together.
std::string_view RulesSchema();

}  // namespace sluice
