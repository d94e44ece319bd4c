// The text of the script that decides, as scripts/*.lua have it; the build puts it together.
#pragma once

#include <string_view>

namespace sluice {

std::string_view DecideScriptText();

}  // namespace sluice
