// JsonText: writes JSON strings.
#pragma once

#include <string>
#include <string_view>

namespace sluice::fuzz {

// Returns the text as a JSON string. REQUIRES: the text is UTF-8.
inline std::string JsonText(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && c != '"' && c != '\\') {
      json += c;
    } else {
      json.append("\\u00").append({kDigits[byte >> 4U], kDigits[byte & 0xFU]});
    }
  }
  return json + "\"";
}

}  // namespace sluice::fuzz
