#include "net/loop/listen.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>

namespace sluice {
namespace {

// Maximum number of connections that wait to be accepted; the system has a bound of its own.
constexpr int kBacklog = 4096;

std::string Words(int error) { return std::generic_category().message(error); }

Error CannotListen(std::string_view where, std::string_view why) {
  std::string message = "cannot listen at ";
  message.append(where).append(": ").append(why);
  return Error{std::move(message)};
}

// Returns the IP address as text; empty for a Unix socket.
std::string HostOf(const sockaddr_storage& storage) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
  } else if (storage.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
    inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  }
  return text.data();
}

std::uint16_t PortOf(const sockaddr_storage& storage) {
  if (storage.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in&>(storage).sin_port);
  }
  if (storage.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6&>(storage).sin6_port);
  }
  return 0;
}

// Returns the address to which the socket is bound.
std::string DescribeSocket(int descriptor) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {};
  if (storage.ss_family == AF_UNIX) {
    return std::string("unix:") + reinterpret_cast<const sockaddr_un&>(storage).sun_path;
  }
  return JoinPort(HostOf(storage), PortOf(storage));
}

// Returns whether a process may be listening on the Unix socket. Only ECONNREFUSED shows that none
// is.
bool IsServed(const sockaddr_un& address) {
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return true;
  const int outcome = connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const bool is_served = outcome == 0 || errno != ECONNREFUSED;
  close(probe);
  return is_served;
}

bool IsSocketFile(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

// Binds and listens. Returns the descriptor, or a negative errno.
int BindAndListen(int family, const sockaddr* address, socklen_t size) {
  const int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -errno;
  const int on = 1;
  // Allows a port with connections in TIME_WAIT, but not one on which another socket listens.
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (family == AF_INET6) setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (bind(descriptor, address, size) == 0 && listen(descriptor, kBacklog) == 0) return descriptor;
  const int error = errno;
  close(descriptor);
  return -error;
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

Result<int> OpenTcp(const TcpEndpoint& endpoint) {
  const std::string where = JoinPort(endpoint.host, endpoint.port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(endpoint.port);
  const int outcome = getaddrinfo(endpoint.host.c_str(), port.c_str(), &hints, &found);
  if (outcome != 0) return CannotListen(where, gai_strerror(outcome));
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  const int descriptor = BindAndListen(list->ai_family, list->ai_addr, list->ai_addrlen);
  if (descriptor == -EADDRINUSE) {
    return CannotListen(where, "somebody else listens there; expected a free port");
  }
  if (descriptor < 0) return CannotListen(where, Words(-descriptor));
  return descriptor;
}

Result<int> OpenUnix(const UnixEndpoint& endpoint) {
  const std::string where = "unix:" + endpoint.path;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (endpoint.path.size() >= sizeof address.sun_path) {
    return CannotListen(where, "the path is too long; expected at most 107 bytes");
  }
  std::memcpy(address.sun_path, endpoint.path.data(), endpoint.path.size());
  if (IsSocketFile(endpoint.path)) {
    if (IsServed(address)) return CannotListen(where, "somebody else listens there");
    unlink(endpoint.path.c_str());
  }
  const int descriptor =
      BindAndListen(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (descriptor < 0) return CannotListen(where, Words(-descriptor));
  return descriptor;
}

}  // namespace

Result<ListeningSocket> ListeningSocket::Open(const Endpoint& endpoint) {
  const auto* tcp = std::get_if<TcpEndpoint>(&endpoint);
  const auto* local = std::get_if<UnixEndpoint>(&endpoint);
  const Result<int> opened = tcp != nullptr ? OpenTcp(*tcp) : OpenUnix(*local);
  if (!opened.ok()) return opened.error();
  ListeningSocket socket(opened.value(), local != nullptr ? local->path : std::string(),
                         Origin::kOpened);
  socket.text_ = DescribeSocket(socket.descriptor_);
  return socket;
}

Result<ListeningSocket> ListeningSocket::Adopt(int descriptor) {
  int listens = 0;
  socklen_t size = sizeof listens;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) {
    return Error{"the descriptor " + std::to_string(descriptor) +
                 " that was passed on is no socket that listens"};
  }
  ListeningSocket socket(descriptor, {}, Origin::kAdopted);
  socket.text_ = DescribeSocket(descriptor);
  return socket;
}

bool ListeningSocket::IsLocal() const {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (getsockname(descriptor_, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return false;
  if (storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    return ntohl(v4.sin_addr.s_addr) >> 24U == IN_LOOPBACKNET;
  }
  if (storage.ss_family == AF_INET6) {
    const in6_addr& v6 = reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(&v6) ||
           (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == IN_LOOPBACKNET);
  }
  return storage.ss_family == AF_UNIX;
}

ListeningSocket::~ListeningSocket() {
  if (descriptor_ >= 0) Close();
}

void ListeningSocket::Close() {
  // Unlinks before closing: once the socket is closed, another process may replace the file with
  // its own.
  if (!made_path_.empty()) unlink(made_path_.c_str());
  close(std::exchange(descriptor_, -1));
}

AcceptOutcome AcceptOne(int listening) {
  AcceptOutcome outcome;
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  const int accepted = accept4(listening, reinterpret_cast<sockaddr*>(&storage), &size,
                               SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (accepted < 0) {
    outcome.error = errno;
    return outcome;
  }
  outcome.accepted.socket = accepted;
  Peer& peer = outcome.accepted.peer;
  if (storage.ss_family == AF_UNIX) {
    ucred credentials{};
    socklen_t length = sizeof credentials;
    if (getsockopt(accepted, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0) {
      peer.uid = credentials.uid;
    }
    return outcome;
  }
  const int on = 1;
  setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  peer.address = HostOf(storage);
  peer.port = PortOf(storage);
  return outcome;
}

}  // namespace sluice
