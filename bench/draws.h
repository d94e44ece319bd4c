// Draws: a precomputed sequence of keys as bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sluice::bench {

// The distribution of the keys.
enum class Choice : std::uint8_t {
  kUniform,
  kZipf,  // the n-th most popular key has weight n^-0.99
};

// A key such as "user:00001234". Every key has the same length, so the measured loop reads no array
// of offsets.
class KeyText {
 public:
  static constexpr std::size_t kBytes = 13;

  explicit KeyText(std::uint64_t index) { Write(index, bytes_.data()); }

  [[nodiscard]] std::string_view view() const { return {bytes_.data(), kBytes}; }

  static void Write(std::uint64_t index, char* to);

 private:
  std::array<char, kBytes> bytes_;
};

// A sequence of keys that is drawn and formatted in advance and stored contiguously. Reading the
// bytes of a key is part of the measurement, as it would be from a buffer of requests; formatting
// is not.
//
// Thread safety: immutable.
class Draws {
 public:
  // 4 Mi draws: neither their bytes (54 MB) nor the states of as many keys fit in a cache.
  static constexpr std::size_t kCount = std::size_t{1} << 22U;

  // Draws the same keys in every run.
  Draws(std::uint64_t keys, Choice choice);

  [[nodiscard]] std::string_view At(std::size_t index) const {
    return {bytes_.data() + index * KeyText::kBytes, KeyText::kBytes};
  }

 private:
  std::vector<char> bytes_;
};

}  // namespace sluice::bench
