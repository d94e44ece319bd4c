// The JSON Schema (draft-07) of rule files, src/config/rules/rules.schema.json, for editors.
#pragma once

#include <string_view>

namespace sluice {

// Returns the text of the schema, which the build embeds into the program. The schema accepts
// everything that the loader accepts. What a schema cannot check (duplicate names, unreachable
// rules, unknown names) only the loader reports. tests/cli/schema.py checks that the two agree.
std::string_view RulesSchema();

}  // namespace sluice
