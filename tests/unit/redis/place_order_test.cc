#include "redis/place_order.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <string>
#include <vector>

#include "net/loop/connect.h"
#include "net/loop/endpoint.h"

namespace sluice {
namespace {

using Words = std::vector<std::string>;

ServerAddress AddressOf(const Words& hosts) {
  ServerAddress address;
  for (const std::string& host : hosts) {
    address.places.push_back(FindServer(TcpEndpoint{host, 6379}).value().places.front());
  }
  return address;
}

Words HostsOf(const ServerAddress& address) {
  Words hosts;
  for (const ServerAddress::Place& place : address.places) {
    char text[INET6_ADDRSTRLEN] = {};
    const int family = place.storage.ss_family;
    const void* const bytes =
        family == AF_INET ? static_cast<const void*>(
                                &reinterpret_cast<const sockaddr_in&>(place.storage).sin_addr)
                          : &reinterpret_cast<const sockaddr_in6&>(place.storage).sin6_addr;
    inet_ntop(family, bytes, text, sizeof text);
    hosts.emplace_back(text);
  }
  return hosts;
}

Words Arranged(const PlaceOrder& order, const Words& hosts) {
  ServerAddress address = AddressOf(hosts);
  order.Arrange(address);
  return HostsOf(address);
}

TEST(PlaceOrderTest, AlternatesFamilies) {
  const PlaceOrder order;
  EXPECT_EQ(Arranged(order, {"::1", "::2", "::3", "10.0.0.1", "10.0.0.2"}),
            (Words{"::1", "10.0.0.1", "::2", "10.0.0.2", "::3"}));
  EXPECT_EQ(Arranged(order, {"10.0.0.1", "::1", "::2"}), (Words{"10.0.0.1", "::1", "::2"}));
  EXPECT_EQ(Arranged(order, {}), Words{});
}

TEST(PlaceOrderTest, StartsWithTheAddressThatWorked) {
  PlaceOrder order;
  order.Succeeded(AddressOf({"10.0.0.1", "10.0.0.2", "10.0.0.3"}), 1);
  // The resolver returns the addresses in a different order.
  EXPECT_EQ(Arranged(order, {"10.0.0.3", "10.0.0.1", "10.0.0.2"}),
            (Words{"10.0.0.2", "10.0.0.3", "10.0.0.1"}));
  // The address no longer exists.
  EXPECT_EQ(Arranged(order, {"10.0.0.3", "10.0.0.1"}), (Words{"10.0.0.3", "10.0.0.1"}));
}

TEST(PlaceOrderTest, TriesEveryAddressEventually) {
  const Words hosts = {"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"};
  // One address per attempt, then two.
  for (std::size_t last = 0; last < 2; ++last) {
    PlaceOrder order;
    Words first;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      ServerAddress address = AddressOf(hosts);
      order.Arrange(address);
      first.push_back(HostsOf(address).front());
      order.Failed(address, last);
    }
    EXPECT_EQ(first, hosts);
  }
}

}  // namespace
}  // namespace sluice
