#include "server/endpoint_of.h"

#include <variant>

namespace sluice::cli {

Endpoint EndpointOf(const Address& address) {
  if (const auto* local = std::get_if<UnixAddress>(&address)) return UnixEndpoint{local->path};
  const auto& tcp = *std::get_if<TcpAddress>(&address);
  return TcpEndpoint{tcp.host, tcp.port};
}

}  // namespace sluice::cli
