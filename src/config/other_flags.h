// Names that other tools have for flags.
#pragma once

#include <functional>
#include <string_view>

namespace sluice {

// Returns the flag that other tools call `written`, with or without dashes, if `has_flag` says that
// the command has it: "--listen" or "--server" for "port". Otherwise empty.
std::string_view FlagMeantBy(std::string_view written,
                             const std::function<bool(std::string_view)>& has_flag);

}  // namespace sluice
