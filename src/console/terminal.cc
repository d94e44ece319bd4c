#include "console/terminal.h"

#include <unistd.h>

#include "base/text.h"

namespace sluice::cli {
namespace {

// Returns the parameter of the ECMA-48 sequence "select graphic rendition" (SGR).
std::string_view CodeOf(Emphasis emphasis) {
  switch (emphasis) {
    case Emphasis::kBold:
      return "1";
    case Emphasis::kRed:
      return "31";
    case Emphasis::kYellow:
      return "33";
    case Emphasis::kGreen:
      return "32";
    case Emphasis::kDim:
      return "2";
  }
  return "0";
}

}  // namespace

ColorMode InkFor(int descriptor, const ColorWish& wish) {
  const bool forbidden = wish.no_color != nullptr && *wish.no_color != '\0';
  const bool dumb = wish.term != nullptr && std::string_view(wish.term) == "dumb";
  return !forbidden && !dumb && ::isatty(descriptor) == 1 ? ColorMode::kColor : ColorMode::kPlain;
}

std::string Emphasized(ColorMode ink, Emphasis emphasis, std::string_view text) {
  if (ink == ColorMode::kPlain || text.empty()) return std::string(text);
  return Concat("\x1b[", CodeOf(emphasis), "m", text, "\x1b[0m");
}

}  // namespace sluice::cli
