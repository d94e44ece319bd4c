// IpPrefixes: many prefixes, and how another one lies to them.
#pragma once

#include <vector>

#include "rules/ip_address.h"

namespace sluice {

// Prefixes of which none holds another: two either hold one another or share no address, so those
// inside of others say nothing more. (IpSet answers for single addresses, and faster.)
//
// Thread safety: immutable once made.
class IpPrefixes {
 public:
  IpPrefixes() = default;
  // In any order, doubles too. Takes n log n time.
  explicit IpPrefixes(std::vector<IpPrefix> prefixes);

  // Whether one of them holds all of it. False also where only several together do.
  [[nodiscard]] bool Holds(const IpPrefix& prefix) const;
  // Whether an address is in it and in one of them.
  [[nodiscard]] bool Meets(const IpPrefix& prefix) const;

  [[nodiscard]] const std::vector<IpPrefix>& all() const { return prefixes_; }
  [[nodiscard]] bool empty() const { return prefixes_.empty(); }

 private:
  std::vector<IpPrefix> prefixes_;  // IPv6 and then IPv4, by address
};

}  // namespace sluice
