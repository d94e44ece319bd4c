// IpPrefixes: a set of prefixes that other prefixes are compared with.
#pragma once

#include <vector>

#include "rules/model/ip_address.h"

namespace sluice {

// A set of prefixes, none of which contains another. Two prefixes either contain one another or are
// disjoint, so prefixes within others are redundant and dropped. (IpSet looks up single addresses,
// and faster.)
//
// Thread safety: immutable once constructed.
class IpPrefixes {
 public:
  IpPrefixes() = default;
  // Takes prefixes in any order, with or without duplicates, in n log n time.
  explicit IpPrefixes(std::vector<IpPrefix> prefixes);

  // Returns whether one prefix of the set contains all of `prefix`. Returns false if only several
  // of them together do.
  [[nodiscard]] bool Holds(const IpPrefix& prefix) const;
  // Returns whether `prefix` and the set have an address in common.
  [[nodiscard]] bool Meets(const IpPrefix& prefix) const;

  [[nodiscard]] const std::vector<IpPrefix>& all() const { return prefixes_; }
  [[nodiscard]] bool empty() const { return prefixes_.empty(); }

 private:
  std::vector<IpPrefix> prefixes_;  // IPv6, then IPv4, by address
};

}  // namespace sluice
