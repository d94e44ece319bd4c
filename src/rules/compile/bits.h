// Bits: a set of small numbers, stored as a bit map.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice {

// A set of numbers below a bound, which Reset sets. Copying between sets of the same bound does not
// allocate.
class Bits {
 public:
  Bits() = default;
  explicit Bits(std::size_t bound) { Reset(bound); }

  // Empties the set, for numbers below `bound`.
  void Reset(std::size_t bound) { words_.assign((bound + 63) / 64, 0); }

  // Adds the number. Returns whether it was not in the set before.
  bool AddNew(std::size_t number) {
    std::uint64_t& word = words_[number / 64];
    const bool is_new = (word & One(number)) == 0;
    word |= One(number);
    return is_new;
  }
  void Add(std::size_t number) { words_[number / 64] |= One(number); }
  // REQUIRES: the other has the same bound.
  void AddAll(const Bits& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  void Remove(std::size_t number) { words_[number / 64] &= ~One(number); }
  [[nodiscard]] bool Has(std::size_t number) const {
    return (words_[number / 64] & One(number)) != 0;
  }

  // Calls visit(number) for each number in ascending order, until it returns false.
  template <typename Visit>
  void ForEachWhile(Visit visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
        if (!visit(i * 64 + static_cast<std::size_t>(std::countr_zero(word)))) return;
      }
    }
  }

 private:
  static std::uint64_t One(std::size_t number) { return std::uint64_t{1} << (number % 64); }

  std::vector<std::uint64_t> words_;
};

}  // namespace sluice
