#include "cli/terminal.h"

#include <unistd.h>

#include "core/text.h"

namespace sluice::cli {
namespace {

// The numbers of ECMA-48's "select graphic rendition".
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

Ink InkFor(int descriptor, const ColorWish& wish) {
  const bool forbidden = wish.no_color != nullptr && *wish.no_color != '\0';
  const bool dumb = wish.term != nullptr && std::string_view(wish.term) == "dumb";
  return !forbidden && !dumb && ::isatty(descriptor) == 1 ? Ink::kColor : Ink::kPlain;
}

std::string Emphasized(Ink ink, Emphasis emphasis, std::string_view text) {
  if (ink == Ink::kPlain || text.empty()) return std::string(text);
  return Concat("\x1b[", CodeOf(emphasis), "m", text, "\x1b[0m");
}

}  // namespace sluice::cli
