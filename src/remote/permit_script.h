// The text of the script for permits, as scripts/permit.lua has it; the build puts it together.
#pragma once

#include <string_view>

namespace sluice {

std::string_view PermitScriptText();

}  // namespace sluice
