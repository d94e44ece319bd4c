#include "net/http1/exchange.h"

#include "base/ascii.h"

namespace sluice {

std::string_view HttpRequest::Find(std::string_view name) const {
  for (const Header& header : headers) {
    if (EqualsLower(header.name, name)) return header.value;
  }
  return {};
}

}  // namespace sluice
