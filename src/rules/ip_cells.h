// IpCells: which parts of the IPv4 addresses lie wholly in a set, and which wholly outside.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

// All IPv4 addresses in equal cells, more of them the more often membership changes. Most addresses
// are in a cell without a change, and one load from a small table tells whether those are members;
// it spares them the search of a list that no cache near the processor holds. (Clients can choose
// addresses of which that is not so. Those cost the load and the search.)
//
// Thread safety: immutable, any number of threads may read.
class IpCells {
 public:
  // How many of a cell's addresses are members.
  enum class Share : std::uint8_t { kNone, kAll, kSome };

  // `turns` are the addresses after which membership changes, in ascending order, none twice.
  // `starts_inside` is whether address 0 is a member. Takes 1 to 2 bytes for two turns.
  explicit IpCells(std::span<const std::uint32_t> turns = {}, bool starts_inside = false) {
    const std::size_t cells = CellsFor(turns.size());
    shift_ = static_cast<unsigned>(32 - std::countr_zero(cells));
    words_.resize(cells / kCellsOfWord);
    std::size_t below = 0;
    for (std::uint64_t cell = 0; cell < cells; ++cell) {
      const std::uint64_t first = cell << shift_;
      const std::uint64_t last = first + (std::uint64_t{1} << shift_) - 1;
      while (below < turns.size() && turns[below] < first) ++below;
      // A change after the last address is the next cell's.
      const bool is_mixed = below < turns.size() && turns[below] < last;
      const bool is_member = starts_inside != (below % 2 == 1);
      Set(cell, is_mixed ? Share::kSome : is_member ? Share::kAll : Share::kNone);
    }
  }

  // That of the cell `address` is in.
  [[nodiscard]] Share At(std::uint32_t address) const {
    const std::size_t cell = address >> shift_;
    return static_cast<Share>(words_[cell / kCellsOfWord] >> PlaceOf(cell) & 3U);
  }

  // Begins to load what At will ask for.
  void Prefetch(std::uint32_t address) const {
    __builtin_prefetch(&words_[(address >> shift_) / kCellsOfWord]);
  }

  [[nodiscard]] std::size_t MemoryBytes() const { return words_.capacity() * sizeof(words_[0]); }

 private:
  static constexpr unsigned kCellsOfWord = 32;          // two bits each
  static constexpr std::size_t kCellsMost = 1U << 24U;  // 4 MiB

  static std::size_t CellsFor(std::size_t turns) {
    const std::size_t wanted = std::bit_ceil(2 * turns);
    if (wanted < kCellsOfWord) return kCellsOfWord;
    return wanted < kCellsMost ? wanted : kCellsMost;
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
