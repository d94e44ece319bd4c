#include "net/exchange.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr char Lower(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte;
}

}  // namespace

std::string_view HttpRequest::Find(std::string_view name) const {
  for (const Header& header : headers) {
    if (header.name.size() == name.size() && std::ranges::equal(header.name, name, {}, Lower)) {
      return header.value;
    }
  }
  return {};
}

}  // namespace sluice
