#include "base/text.h"

#include <cstddef>

#include "base/utf8.h"

namespace sluice {
namespace {

// Longer names are cut in messages. All names of this project are far shorter.
constexpr std::size_t kMaxQuotedBytes = 80;

void AppendEscaped(unsigned char byte, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "\\x";
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 0xFU];
}

// Appends the first character, or its first byte as \xNN if it is not UTF-8. Returns the number of
// bytes consumed.
std::size_t AppendCharacter(std::string_view text, std::string& out) {
  const std::size_t size = Utf8SizeAt(text);
  if (size == 0) {
    AppendEscaped(static_cast<unsigned char>(text.front()), out);
    return 1;
  }
  out += text.substr(0, size);
  return size;
}

// Returns how many bytes of `text` to show without cutting a character in two.
std::size_t ShownBytes(std::string_view text) {
  if (text.size() <= kMaxQuotedBytes) return text.size();
  std::size_t size = kMaxQuotedBytes;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return size;
}

// Returns whether a C1 control character, U+0080 to U+009F, begins at the index.
bool IsC1(std::string_view text, std::size_t at) {
  if (static_cast<unsigned char>(text[at]) != 0xC2 || at + 1 == text.size()) return false;
  const auto next = static_cast<unsigned char>(text[at + 1]);
  return next >= 0x80 && next < 0xA0;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) {
      AppendEscaped(byte, out);
    } else if (IsC1(text, i)) {
      AppendEscaped(byte, out);
      AppendEscaped(static_cast<unsigned char>(text[++i]), out);
    } else {
      i += AppendCharacter(text.substr(i), out) - 1;
    }
  }
  return out;
}

std::string ToUtf8(std::string_view text) {
  if (IsUtf8(text)) return std::string(text);
  std::string out;
  while (!text.empty()) text.remove_prefix(AppendCharacter(text, out));
  return out;
}

std::string Quoted(std::string_view text) {
  const std::size_t shown = ShownBytes(text);
  return Concat("'", Printable(text.substr(0, shown)), shown < text.size() ? "...'" : "'");
}

}  // namespace sluice
