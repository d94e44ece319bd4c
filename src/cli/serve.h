// `sluice serve`: the service.
#pragma once

#include <span>
#include <string_view>

#include "cli/output.h"

namespace sluice::cli {

int RunServe(std::span<const std::string_view> args, Console& console);
std::string_view ServeHelp();

}  // namespace sluice::cli
