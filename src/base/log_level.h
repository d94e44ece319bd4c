// LogLevel: the severity of a log line.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/enum_name.h"

namespace sluice {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

inline constexpr std::array kLogLevelWords = {
    EnumName<LogLevel>{"debug", LogLevel::kDebug},
    EnumName<LogLevel>{"info", LogLevel::kInfo},
    EnumName<LogLevel>{"warning", LogLevel::kWarning},
    EnumName<LogLevel>{"error", LogLevel::kError},
};

constexpr std::span<const EnumName<LogLevel>> WordsFor(LogLevel) { return kLogLevelWords; }

}  // namespace sluice
