#include "net/loop/ip_text.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <array>

namespace sluice {

std::string IpText(std::string_view bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (bytes.size() != sizeof(in_addr) && bytes.size() != sizeof(in6_addr)) return {};
  const int family = bytes.size() == sizeof(in_addr) ? AF_INET : AF_INET6;
  return inet_ntop(family, bytes.data(), text.data(), text.size());
}

}  // namespace sluice
