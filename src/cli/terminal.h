// Color on a terminal: whether it is wanted, and how it is written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::cli {

// How texts may look where they are printed.
enum class Ink : std::uint8_t {
  kPlain,  // texts alone
  kColor,  // with the escape sequences of a terminal
};

// What the environment says about color; null where a variable is not set.
struct ColorWish {
  const char* no_color = nullptr;  // NO_COLOR: anything but an empty text forbids color
  const char* term = nullptr;      // TERM: "dumb" knows no escape sequences
};

// kColor for a terminal, unless the wish is another.
Ink InkFor(int descriptor, const ColorWish& wish);

enum class Emphasis : std::uint8_t { kBold, kRed, kYellow, kGreen, kDim };

// The text, with the emphasis where the ink allows it.
std::string Emphasized(Ink ink, Emphasis emphasis, std::string_view text);

}  // namespace sluice::cli
