// PlaceOrder: the order in which the addresses of a server's name are tried.
#pragma once

#include <cstddef>
#include <optional>

#include "net/connect.h"

namespace sluice {

// Orders the addresses of one name from one connection attempt to the next. Address families
// alternate, so that a family without a route costs one address and not all of them. The attempt
// begins with the address that worked last. After a failure it begins with the address at which the
// attempt ended, so that this one gets the whole time of an attempt once, and then with the next.
//
// Addresses are remembered by value: a resolver may return them in another order each time.
//
// Thread safety: none.
class PlaceOrder {
 public:
  void Arrange(ServerAddress& address) const;

  // The connection to the address of this index was opened.
  void Succeeded(const ServerAddress& address, std::size_t index);
  // An attempt over the arranged addresses ended without a connection, at the address of this
  // index.
  void Failed(const ServerAddress& address, std::size_t index);

  void Clear() { first_.reset(); }

 private:
  std::optional<ServerAddress::Place> first_;  // to be tried first
};

}  // namespace sluice
