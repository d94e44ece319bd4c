#include "wire/grpc/grpc_message.h"

namespace sluice {

void AppendGrpcMessage(std::string_view words, std::string& out) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char character : words) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte >= ' ' && byte <= '~' && byte != '%') {
      out += character;
    } else {
      out += '%';
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 0xFU];
    }
  }
}

}  // namespace sluice
