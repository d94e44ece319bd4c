// Color on a terminal: whether to use it, and how.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::cli {

// How text is printed.
enum class ColorMode : std::uint8_t {
  kPlain,  // without escape sequences
  kColor,  // with the escape sequences of a terminal
};

// The environment variables about color; null if not set.
struct ColorWish {
  const char* no_color = nullptr;  // NO_COLOR: disables color unless empty
  const char* term = nullptr;      // TERM: "dumb" supports no escape sequences
};

// Returns kColor for a terminal, unless the environment disables color.
ColorMode InkFor(int descriptor, const ColorWish& wish);

enum class Emphasis : std::uint8_t { kBold, kRed, kYellow, kGreen, kDim };

// Returns the text with the emphasis if color is enabled.
std::string Emphasized(ColorMode ink, Emphasis emphasis, std::string_view text);

}  // namespace sluice::cli
