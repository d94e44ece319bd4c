// The text of the script that replaces states, as scripts/replace.lua has it.
#pragma once

#include <string_view>

namespace sluice {

std::string_view ReplaceScriptText();

}  // namespace sluice
