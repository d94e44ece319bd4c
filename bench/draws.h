// Draws: keys as bytes, in the order in which they will be asked for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sluice::bench {

// How keys are chosen.
enum class Choice : std::uint8_t {
  kUniform,
  kZipf,  // the n-th most popular key with weight n^-0.99
};

// "user:00001234": every key has the same length, so that no array of offsets is read beside it.
class KeyText {
 public:
  static constexpr std::size_t kBytes = 13;

  explicit KeyText(std::uint64_t index) { Write(index, bytes_.data()); }

  [[nodiscard]] std::string_view view() const { return {bytes_.data(), kBytes}; }

  static void Write(std::uint64_t index, char* to);

 private:
  std::array<char, kBytes> bytes_;
};

// A sequence of keys drawn and formatted in advance, back to back in one arena: reading a key's
// bytes is part of what is measured, as it would be from a buffer of requests, and formatting is
// not.
//
// Thread safety: immutable.
class Draws {
 public:
  // 4 Mi draws: their bytes (54 MB), and the states of as many keys, are more than a cache holds.
  static constexpr std::size_t kCount = std::size_t{1} << 22U;

  // The same draws every time.
  Draws(std::uint64_t keys, Choice choice);

  [[nodiscard]] std::string_view At(std::size_t index) const {
    return {bytes_.data() + index * KeyText::kBytes, KeyText::kBytes};
  }

 private:
  std::vector<char> bytes_;
};

}  // namespace sluice::bench
