// The text of the script that gives terms a state of a key, as scripts/new_terms.lua has it.
#pragma once

#include <string_view>

namespace sluice {

std::string_view NewTermsScriptText();

}  // namespace sluice
