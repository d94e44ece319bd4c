// ByteReader: interprets a fuzz input as a sequence of choices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sluice::fuzz {

// Consumes an input from the front. Past its end every byte is 0, so every choice is the first one;
// loops must therefore test AtEnd or use a count. Refers to the input. Thread safety: none.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> input) : rest_(input) {}

  [[nodiscard]] bool AtEnd() const { return rest_.empty(); }

  std::uint8_t Byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t byte = rest_.front();
    rest_ = rest_.subspan(1);
    return byte;
  }

  // Returns a number below `choices`. REQUIRES: 1 <= choices <= 256.
  std::size_t Below(std::size_t choices) { return Byte() % choices; }

  // Returns true in one of `cases` cases; false past the end. REQUIRES: 2 <= cases <= 256.
  bool OneIn(std::size_t cases) { return Below(cases) == cases - 1; }

  // Returns a number of any size. It is encoded as a bit count and the bits, so small numbers take
  // few bytes.
  std::uint64_t Number() {
    const std::size_t bits = Below(65);
    std::uint64_t number = 0;
    for (std::size_t have = 0; have < bits; have += 8) number = number << 8U | Byte();
    return bits == 64 ? number : number & ((std::uint64_t{1} << bits) - 1);
  }

  // Returns the next `size` bytes, or all that are left.
  std::string Bytes(std::size_t size) {
    const auto taken = rest_.first(std::min(size, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return {taken.begin(), taken.end()};
  }

  // Returns the bytes before the next `end` and consumes that, too; or returns all bytes that are
  // left.
  std::string BytesUntil(char end) {
    const auto found = std::find(rest_.begin(), rest_.end(), static_cast<std::uint8_t>(end));
    std::string bytes = Bytes(static_cast<std::size_t>(found - rest_.begin()));
    Byte();
    return bytes;
  }

  // Splits off the second half of the remaining input, so that two uses do not starve each other.
  ByteReader SplitOff() {
    const std::size_t kept = rest_.size() / 2;
    const ByteReader second(rest_.subspan(kept));
    rest_ = rest_.first(kept);
    return second;
  }

  template <typename Choices>
  const auto& Pick(const Choices& choices) {
    return choices[Below(choices.size())];
  }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace sluice::fuzz
