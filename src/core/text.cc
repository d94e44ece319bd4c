#include "core/text.h"

#include <cstddef>

namespace sluice {
namespace {

// Longer names are cut in messages; every name of ours is far shorter.
constexpr std::size_t kQuotedBytesMost = 80;

void AppendEscaped(unsigned char byte, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "\\x";
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 0xFU];
}

// How much of `text` to show, without cutting a character in two.
std::size_t ShownBytes(std::string_view text) {
  if (text.size() <= kQuotedBytesMost) return text.size();
  std::size_t size = kQuotedBytesMost;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return size;
}

// U+0080 to U+009F, as UTF-8 writes them.
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
      out += text[i];
    }
  }
  return out;
}

std::string Quoted(std::string_view text) {
  const std::size_t shown = ShownBytes(text);
  return Concat("'", Printable(text.substr(0, shown)), shown < text.size() ? "...'" : "'");
}

}  // namespace sluice
