// IpCells: a table of the IPv4 ranges that are entirely inside a set or entirely outside.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

// Divides all IPv4 addresses into cells of equal size; the number of cells grows with the number of
// changes of membership. Most addresses are in a cell without a change, and for those one load from
// a small table replaces the search of a list that does not fit in the CPU caches. (Clients can
// choose addresses in other cells. Those cost both the load and the search.)
//
// Thread safety: immutable; any number of threads may read it.
class IpCells {
 public:
  // How many of a cell's addresses are members.
  enum class Share : std::uint8_t { kNone, kAll, kSome };

  // `turns` are the addresses after which membership changes, in ascending order without
  // duplicates. `starts_inside` is true if address 0 is a member. Takes 1 to 2 bytes for two turns.
  explicit IpCells(std::span<const std::uint32_t> turns = {}, bool starts_inside = false) {
    const std::size_t cells = CellsFor(turns.size());
    shift_ = static_cast<unsigned>(32 - std::countr_zero(cells));
    words_.resize(cells / kCellsOfWord);
    std::size_t below = 0;
    for (std::uint64_t cell = 0; cell < cells; ++cell) {
      const std::uint64_t first = cell << shift_;
      const std::uint64_t last = first + (std::uint64_t{1} << shift_) - 1;
      while (below < turns.size() && turns[below] < first) ++below;
      // A change after the last address belongs to the next cell.
      const bool is_mixed = below < turns.size() && turns[below] < last;
      const bool is_member = starts_inside != (below % 2 == 1);
      Set(cell, is_mixed ? Share::kSome : is_member ? Share::kAll : Share::kNone);
    }
  }

  // Returns the share of the cell that `address` is in.
  [[nodiscard]] Share At(std::uint32_t address) const {
    const std::size_t cell = address >> shift_;
    return static_cast<Share>(words_[cell / kCellsOfWord] >> PlaceOf(cell) & 3U);
  }

  // Prefetches what At will load.
  void Prefetch(std::uint32_t address) const {
    __builtin_prefetch(&words_[(address >> shift_) / kCellsOfWord]);
  }

  [[nodiscard]] std::size_t MemoryBytes() const { return words_.capacity() * sizeof(words_[0]); }

 private:
  static constexpr unsigned kCellsOfWord = 32;         // two bits each
  static constexpr std::size_t kMaxCells = 1U << 24U;  // 4 MiB

  static std::size_t CellsFor(std::size_t turns) {
    const std::size_t wanted = std::bit_ceil(2 * turns);
    if (wanted < kCellsOfWord) return kCellsOfWord;
    return wanted < kMaxCells ? wanted : kMaxCells;
  }

  static unsigned PlaceOf(std::size_t cell) {
    return static_cast<unsigned>(2 * (cell % kCellsOfWord));
  }

  void Set(std::size_t cell, Share share) {
    words_[cell / kCellsOfWord] |= std::uint64_t{static_cast<std::uint8_t>(share)} << PlaceOf(cell);
  }

  unsigned shift_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace sluice
