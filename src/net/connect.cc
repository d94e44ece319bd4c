#include "net/connect.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>

#include "core/duration.h"
#include "core/text.h"

namespace sluice {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

Result<ServerAddress> FindTcp(const TcpEndpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(endpoint.port);
  const int outcome = getaddrinfo(endpoint.host.c_str(), port.c_str(), &hints, &found);
  if (outcome != 0) {
    return Error{Concat("cannot look up ", Quoted(endpoint.host), ": ", gai_strerror(outcome))};
  }
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  ServerAddress address;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    ServerAddress::Place& place = address.places.emplace_back();
    std::memcpy(&place.storage, each->ai_addr, each->ai_addrlen);
    place.size = each->ai_addrlen;
  }
  return address;
}

Result<ServerAddress> FindUnix(const UnixEndpoint& endpoint) {
  ServerAddress address;
  ServerAddress::Place& place = address.places.emplace_back();
  auto& local = reinterpret_cast<sockaddr_un&>(place.storage);
  if (endpoint.path.size() >= sizeof local.sun_path) {
    return Error{Concat("cannot connect to unix:", endpoint.path,
                        ": the path is too long; expected at most 107 bytes")};
  }
  local.sun_family = AF_UNIX;
  std::memcpy(local.sun_path, endpoint.path.data(), endpoint.path.size());
  place.size = sizeof local;
  return address;
}

// Waits until a connection that was begun is there or has failed. 0, or the error.
int FinishConnect(int descriptor, Nanos timeout) {
  pollfd waiting{descriptor, POLLOUT, 0};
  const auto millis = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  int ready = 0;
  while ((ready = poll(&waiting, 1, static_cast<int>(millis))) < 0 && errno == EINTR) {
  }
  if (ready == 0) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  if (ready < 0 || getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

// 0, or the error.
int ConnectOne(int descriptor, const ServerAddress::Place& place, Nanos timeout) {
  if (descriptor < 0) return errno;
  const auto* const to = reinterpret_cast<const sockaddr*>(&place.storage);
  if (connect(descriptor, to, place.size) != 0) {
    const int error = errno == EINPROGRESS ? FinishConnect(descriptor, timeout) : errno;
    if (error != 0) return error;
  }
  const int on = 1;
  if (place.storage.ss_family != AF_UNIX) {
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  return 0;
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<ServerAddress> FindServer(const Endpoint& endpoint) {
  const auto* const tcp = std::get_if<TcpEndpoint>(&endpoint);
  Result<ServerAddress> found =
      tcp != nullptr ? FindTcp(*tcp) : FindUnix(*std::get_if<UnixEndpoint>(&endpoint));
  if (found.ok()) found.value().text = Describe(endpoint);
  return found;
}

Result<Socket> Connect(const ServerAddress& address, Nanos timeout) {
  int error = 0;
  for (const ServerAddress::Place& place : address.places) {
    Socket made(socket(place.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    error = ConnectOne(made.descriptor(), place, timeout);
    if (error == 0) return made;
  }
  const std::string why = error == ETIMEDOUT ? Concat("no answer in ", FormatDuration(timeout))
                                             : std::generic_category().message(error);
  return Error{Concat("cannot connect to ", address.text, ": ", why)};
}

}  // namespace sluice
