// OwnPort: a port of this machine that is reserved for a test.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

#include "net/loop/connect.h"

namespace sluice::testing {

// Connections are refused until Listen is called.
class OwnPort {
 public:
  OwnPort() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address().sin_family = AF_INET;
    address().sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    place_.size = sizeof(sockaddr_in);
    auto* const own = reinterpret_cast<sockaddr*>(&place_.storage);
    EXPECT_EQ(bind(socket_.descriptor(), own, place_.size), 0);
    EXPECT_EQ(getsockname(socket_.descriptor(), own, &place_.size), 0);
    number_ = ntohs(address().sin_port);
  }

  void Listen() const { EXPECT_EQ(listen(socket_.descriptor(), 1), 0); }
  [[nodiscard]] const ServerAddress::Place& place() const { return place_; }
  [[nodiscard]] std::uint16_t number() const { return number_; }

 private:
  sockaddr_in& address() { return reinterpret_cast<sockaddr_in&>(place_.storage); }

  Socket socket_;
  ServerAddress::Place place_;
  std::uint16_t number_ = 0;
};

}  // namespace sluice::testing
