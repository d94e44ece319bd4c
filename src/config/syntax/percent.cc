#include "config/syntax/percent.h"

#include <cstddef>

namespace sluice {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEF";

std::optional<unsigned> HexDigit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return std::nullopt;
}

bool StandsForItself(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const std::optional<unsigned> high = HexDigit(text[i + 1]);
    const std::optional<unsigned> low = HexDigit(text[i + 2]);
    if (!high || !low || (*high == 0 && *low == 0)) return std::nullopt;
    decoded += static_cast<char>(*high << 4U | *low);
    i += 2;
  }
  return decoded;
}

std::string PercentEncode(std::string_view text, std::string_view besides) {
  std::string encoded;
  for (const char c : text) {
    if (StandsForItself(c) || besides.find(c) != besides.npos) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4U];
    encoded += kDigits[byte & 0xFU];
  }
  return encoded;
}

}  // namespace sluice
