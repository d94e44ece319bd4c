#include "net/loop/endpoint.h"

namespace sluice {

std::string JoinPort(std::string_view host, std::uint16_t port) {
  std::string text;
  const bool is_v6 = host.find(':') != std::string_view::npos;
  if (is_v6) text += '[';
  text.append(host);
  if (is_v6) text += ']';
  return text.append(":").append(std::to_string(port));
}

std::string Describe(const Endpoint& endpoint) {
  if (const auto* local = std::get_if<UnixEndpoint>(&endpoint)) return "unix:" + local->path;
  const auto& tcp = *std::get_if<TcpEndpoint>(&endpoint);
  return JoinPort(tcp.host, tcp.port);
}

}  // namespace sluice
