// PlaceOrder: chooses the order in which the addresses of a host name are tried.
#pragma once

#include <cstddef>
#include <optional>

#include "net/loop/connect.h"

namespace sluice {

// Orders the addresses of one name for each connection attempt. Address families alternate, so that
// a family without a route delays an attempt by one address only. An attempt starts with the
// address that worked last. After a failure it starts with the address at which the failed attempt
// ended, so that this address gets the full time of one attempt; if the first address itself
// failed, it starts with the next one.
//
// Addresses are compared by value, because a resolver may return them in a different order each
// time.
//
// Thread safety: none.
class PlaceOrder {
 public:
  void Arrange(ServerAddress& address) const;

  // Records that a connection to the address at this index was opened.
  void Succeeded(const ServerAddress& address, std::size_t index);
  // Records that an attempt over the arranged addresses ended without a connection, at the address
  // at this index.
  void Failed(const ServerAddress& address, std::size_t index);

  void Clear() { first_.reset(); }

 private:
  std::optional<ServerAddress::Place> first_;  // the address to try first
};

}  // namespace sluice
