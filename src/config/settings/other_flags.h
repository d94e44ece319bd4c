// Names that other tools use for our flags.
#pragma once

#include <functional>
#include <string_view>

namespace sluice {

// Returns the flag that other tools call `written`, with or without dashes: "--listen" or
// "--server" for "port". Returns an empty text if there is none for which `has_flag` reports that
// the command has it.
std::string_view FlagMeantBy(std::string_view written,
                             const std::function<bool(std::string_view)>& has_flag);

}  // namespace sluice
