#include "rules/check/path_text.h"

#include "rules/model/glob.h"

namespace sluice {
namespace {

// Returns whether a URI must escape the byte.
bool NeedsEscape(char c) {
  constexpr std::string_view kNever = " \"<>\\^`{|}";
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte >= 0x7F || kNever.find(c) != std::string_view::npos;
}

std::string Escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (NeedsEscape(c)) {
      escaped.append({'%', kDigits[byte / 16], kDigits[byte % 16]});
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

std::vector<std::string> PathTexts(std::string_view text) {
  if (!Glob::IsGlob(text)) text = WithoutTrailingSlash(text);
  std::vector<std::string> texts = {std::string(text)};
  std::string escaped = Escaped(text);
  if (escaped != text) texts.push_back(std::move(escaped));
  return texts;
}

}  // namespace sluice
