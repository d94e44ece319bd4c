#include "base/json_string.h"

#include <cstddef>

#include "base/utf8.h"

namespace sluice {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Returns whether the byte is an ASCII character that needs no escape.
bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

void AppendEscaped(char c, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (c == '"' || c == '\\') {
    out += '\\';
    out += c;
    return;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 15U];
}

}  // namespace

void AppendJsonEscaped(std::string_view text, std::string& out) {
  while (!text.empty()) {
    std::size_t size = 0;
    while (size < text.size() && IsPlain(text[size])) ++size;
    out.append(text.substr(0, size));
    text.remove_prefix(size);
    if (text.empty()) return;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      AppendEscaped(text.front(), out);
      text.remove_prefix(1);
      continue;
    }
    size = Utf8SizeAt(text);
    out.append(size == 0 ? kReplacement : text.substr(0, size));
    text.remove_prefix(size == 0 ? 1 : size);
  }
}

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  AppendJsonEscaped(text, out);
  out += '"';
}

}  // namespace sluice
