#include "net/loop/connect.h"

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

#include "base/duration.h"
#include "base/text.h"

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

// Returns the pending error of the socket, or 0.
int ErrorOf(int descriptor) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0 ? errno : error;
}

// Waits until the socket is writable or has failed. Returns false if the timeout has passed.
bool WaitToWrite(int descriptor, Nanos timeout) {
  pollfd waiting{descriptor, POLLOUT, 0};
  const auto millis = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  int ready = 0;
  while ((ready = poll(&waiting, 1, static_cast<int>(millis))) < 0 && errno == EINTR) {
  }
  return ready > 0;
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

Connecting::Connecting(const ServerAddress& address, Nanos timeout)
    : address_(address), timeout_(timeout) {
  TryNext();
}

void Connecting::TryNext() {
  while (next_ < address_.places.size()) {
    const ServerAddress::Place& place = address_.places[next_++];
    socket_ =
        Socket(socket(place.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int descriptor = socket_.descriptor();
    const int on = 1;
    if (descriptor >= 0 && place.storage.ss_family != AF_UNIX) {
      setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    const auto* const to = reinterpret_cast<const sockaddr*>(&place.storage);
    if (descriptor >= 0 && connect(descriptor, to, place.size) == 0) {
      state_ = State::kMade;
      return;
    }
    error_ = errno;
    state_ = State::kUnderWay;
    if (error_ == EINPROGRESS) return;
  }
  state_ = State::kFailed;
}

void Connecting::Continue() {
  error_ = ErrorOf(descriptor());
  if (error_ == 0) {
    state_ = State::kMade;
  } else {
    TryNext();
  }
}

void Connecting::TimeOut() {
  error_ = ETIMEDOUT;
  TryNext();
}

Error Connecting::error() const {
  const std::string why = error_ == ETIMEDOUT ? Concat("no answer in ", FormatDuration(timeout_))
                                              : std::generic_category().message(error_);
  return Error{Concat("cannot connect to ", address_.text, ": ", why)};
}

Result<Socket> Connect(const ServerAddress& address, Nanos timeout) {
  Connecting connecting(address, timeout);
  while (connecting.state() == Connecting::State::kUnderWay) {
    if (WaitToWrite(connecting.descriptor(), timeout)) {
      connecting.Continue();
    } else {
      connecting.TimeOut();
    }
  }
  if (connecting.state() == Connecting::State::kFailed) return connecting.error();
  return connecting.Take();
}

}  // namespace sluice
