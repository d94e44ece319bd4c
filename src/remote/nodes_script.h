// The text of the script that counts nodes, scripts/nodes.lua; the build puts it together.
#pragma once

#include <string_view>

namespace sluice {

std::string_view NodesScriptText();

}  // namespace sluice
