#include "server/systemd.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sluice::cli {
namespace {

std::optional<std::int64_t> Number(const char* text) {
  if (text == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const char* end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, number);
  if (error != std::errc() || at != end || number <= 0) return std::nullopt;
  return number;
}

// Returns whether a variable with a process id is addressed to this process.
bool IsForUs(const char* text) {
  return text == nullptr || Number(text) == static_cast<std::int64_t>(getpid());
}

}  // namespace

Systemd::Systemd(const Environment& environment) {
  if (const char* path = environment("NOTIFY_SOCKET"); path != nullptr) {
    path_ = path;
    if (path_.starts_with('@')) path_.front() = '\0';
  }
  if (const auto micros = Number(environment("WATCHDOG_USEC"));
      micros && IsForUs(environment("WATCHDOG_PID"))) {
    watchdog_ = std::chrono::microseconds(*micros) / 2;
  }
  if (const auto sockets = Number(environment("LISTEN_FDS"));
      sockets && *sockets < 100 && environment("LISTEN_PID") != nullptr &&
      IsForUs(environment("LISTEN_PID"))) {
    socket_count_ = static_cast<int>(*sockets);
  }
}

void Systemd::Notify(std::string_view state) const {
  sockaddr_un address{};
  if (path_.empty() || path_.size() >= sizeof address.sun_path) return;
  const int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (sender < 0) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.data(), path_.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_.size());
  sendto(sender, state.data(), state.size(), MSG_NOSIGNAL,
         reinterpret_cast<const sockaddr*>(&address), size);
  close(sender);
}

}  // namespace sluice::cli
