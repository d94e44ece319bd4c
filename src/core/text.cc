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

}  // namespace

std::string Quoted(std::string_view text) {
  const std::size_t shown = ShownBytes(text);
  std::string out = "'";
  for (const char c : text.substr(0, shown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      AppendEscaped(byte, out);
    } else {
      out += c;
    }
  }
  out += shown < text.size() ? "...'" : "'";
  return out;
}

}  // namespace sluice
