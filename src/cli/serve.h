// `sluice serve`: runs the server.
#pragma once

#include <span>
#include <string_view>

#include "console/output.h"

namespace sluice::cli {

int RunServe(std::span<const std::string_view> args, Console& console);
std::string_view ServeHelp();

}  // namespace sluice::cli
