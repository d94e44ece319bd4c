// The version of the program, and the compiler that built it.
#pragma once

#include <string_view>

namespace sluice::cli {

inline constexpr std::string_view kVersion = "0.1.0";

#ifdef __clang__
inline constexpr std::string_view kCompiler = "clang " __clang_version__;
#else
inline constexpr std::string_view kCompiler = "gcc " __VERSION__;
#endif

}  // namespace sluice::cli
