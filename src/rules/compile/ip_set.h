// IpSet: answers whether an address is in one of many prefixes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rules/compile/ip_cells.h"
#include "rules/compile/search_tree.h"
#include "rules/model/ip_address.h"

namespace sluice {

// The addresses of a list of prefixes. Only membership counts, not which prefix an address is in or
// which is the longest. Prefixes that overlap or adjoin are therefore merged into ranges, and the
// set stores where the ranges begin and end.
//
// A lookup takes time logarithmic in the number of ranges, and constant time for most IPv4
// addresses. A range takes about 10 bytes for IPv4 and 34 for IPv6. IPv6 is searched by the upper
// 64 bits, and by the lower ones only among ranges that begin or end in the address's own /64, so a
// list with very many addresses of one /64 is slower than others.
//
// Thread safety: immutable; any number of threads may read it.
//
// Invariants, for IPv4 and IPv6 each:
//   1. The turns are the addresses after which membership changes, in ascending order without
//      duplicates.
//   2. `starts_inside` is true if address 0 is a member. An address with an even number of turns
//      below it has the same membership as address 0, any other address the opposite one.
class IpSet {
 public:
  IpSet() = default;
  // Takes prefixes in any order, with or without duplicates, in n log n time.
  explicit IpSet(const std::vector<IpPrefix>& prefixes);

  [[nodiscard]] bool Contains(const IpAddress& address) const;

  // Prefetches what Contains will load first.
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
  std::vector<std::uint64_t> v6_low_turns_;  // the lower halves of the same turns
};

}  // namespace sluice
