// IpSet: many prefixes, and whether an address is in one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rules/ip_address.h"
#include "rules/ip_cells.h"
#include "rules/search_tree.h"

namespace sluice {

// The addresses of a list of prefixes. Only membership is asked for, so it does not matter which
// prefix an address is in, nor which of several is the longest: prefixes that overlap or adjoin
// become one range, and what is kept is where the ranges begin and end.
//
// An address is looked up in time that grows with the logarithm of the ranges, most of IPv4 at
// once. A range takes about 10 bytes for IPv4 and 34 for IPv6. IPv6 is searched by the upper 64
// bits, and by the lower ones only among ranges that begin or end in the address's own /64, so a
// list of very many addresses of one /64 is slower than others.
//
// Thread safety: immutable, any number of threads may read.
//
// Invariants, for IPv4 and IPv6 each:
//   1. The turns are the addresses after which membership changes, in ascending order, none
//      twice.
//   2. `starts_inside` is whether address 0 is a member. So an address with an even number of
//      turns below it is a member if that is so, any other if it is not.
class IpSet {
 public:
  IpSet() = default;
  // In any order, doubles too. Takes n log n time.
  explicit IpSet(const std::vector<IpPrefix>& prefixes);

  [[nodiscard]] bool Contains(const IpAddress& address) const;

  // Begins to load what Contains will ask for first.
  void Prefetch(const IpAddress& address) const {
    if (address.IsV4()) v4_cells_.Prefetch(address.V4());
  }

  [[nodiscard]] std::size_t RangeCountForTest() const;
  [[nodiscard]] std::size_t MemoryBytesForTest() const;

 private:
  [[nodiscard]] std::size_t V6TurnsBelow(const IpAddress& address) const;

  bool v4_starts_inside_ = false;
  bool v6_starts_inside_ = false;
  IpCells v4_cells_;
  SearchTree<std::uint32_t> v4_turns_;
  SearchTree<std::uint64_t> v6_turns_;       // the upper halves
  std::vector<std::uint64_t> v6_low_turns_;  // the lower halves of the same
};

}  // namespace sluice
