// `sluice check`, `peek`, `refund` and `reset`: send one request to a running server.
#pragma once

#include <span>
#include <string_view>

#include "console/output.h"

namespace sluice::cli {

// Each runs its command with the arguments that follow its name; returns the exit code.
int RunCheck(std::span<const std::string_view> args, Console& console);
int RunPeek(std::span<const std::string_view> args, Console& console);
int RunRefund(std::span<const std::string_view> args, Console& console);
int RunReset(std::span<const std::string_view> args, Console& console);

// Each returns the text of `--help`.
std::string_view CheckHelp();
std::string_view PeekHelp();
std::string_view RefundHelp();
std::string_view ResetHelp();

}  // namespace sluice::cli
