#include "cli/json_text.h"

namespace sluice::cli {

std::string JsonString(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string json = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      json += '\\';
      json += letter;
    } else if (code < 0x20) {
      json += "\\u00";
      json += kHex[code >> 4U];
      json += kHex[code & 0xFU];
    } else {
      json += letter;
    }
  }
  return json + '"';
}

}  // namespace sluice::cli
