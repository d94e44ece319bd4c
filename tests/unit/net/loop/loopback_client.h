// A blocking client of a server on a loopback address. Every wait has a deadline of a minute.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// Waits for a condition, which it checks every millisecond. Returns false after a minute.
template <typename Condition>
bool Until(const Condition& holds) {
  for (int looks = 0; !holds(); ++looks) {
    if (looks == 60'000) return false;
    poll(nullptr, 0, 1);
  }
  return true;
}

class LoopbackClient {
 public:
  // `address` is "127.0.0.1:8080".
  explicit LoopbackClient(std::string_view address) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    const std::size_t colon = address.rfind(':');
    std::uint16_t port = 0;
    std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(port);
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval deadline{.tv_sec = 60, .tv_usec = 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &deadline, sizeof deadline);
    is_connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&there), sizeof there) == 0;
  }
  LoopbackClient(const LoopbackClient&) = delete;
  LoopbackClient& operator=(const LoopbackClient&) = delete;
  ~LoopbackClient() { Close(); }

  [[nodiscard]] bool is_connected() const { return is_connected_; }

  void Say(std::string_view bytes) const {
    ASSERT_EQ(send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void SayNoMore() const { shutdown(socket_, SHUT_WR); }
  void Close() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }

  // Returns the next bytes; empty at the end of input or after the deadline.
  [[nodiscard]] std::string Hear() const {
    std::array<char, 4096> bytes{};
    const ssize_t size = recv(socket_, bytes.data(), bytes.size(), 0);
    return {bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
  }
  // Returns everything until the other end closes.
  [[nodiscard]] std::string HearAll() const {
    std::string all;
    for (std::string part = Hear(); !part.empty(); part = Hear()) all += part;
    return all;
  }
  // Returns the bytes up to and including `end`.
  [[nodiscard]] std::string HearTo(std::string_view end) const {
    std::string all;
    while (!all.ends_with(end)) {
      const std::string part = Hear();
      if (part.empty()) break;
      all += part;
    }
    return all;
  }

 private:
  int socket_;
  bool is_connected_ = false;
};

}  // namespace sluice
