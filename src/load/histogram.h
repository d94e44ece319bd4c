// Histogram: counts 64-bit values with an error of at most 1.6 %.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/int128.h"

namespace sluice {

// A share of all values: 999,000 is p99.9. It is an integer because 0.999 as a double is not
// exactly 0.999, and the neighbor of the intended value may be many times as large.
struct Portion {
  static constexpr std::uint64_t kAll = 1'000'000;

  std::uint64_t millionths = 0;  // at most kAll
};

// Values below 64 are counted exactly, larger ones by their power of two and the next six bits.
// Adding a value is therefore a shift and an increment, and does not disturb the measurement.
//
// Thread safety: none. Memory: 30 KB, independent of the values.
//
// Invariants
//   (1) A quantile is never below the exact value, and above it by at most 1/64 of it.
//   (2) Adding one histogram to another gives the same result as adding all values to one.
class Histogram {
 public:
  void Add(std::uint64_t value) {
    ++counts_[IndexOf(value)];
    ++total_;
    sum_ += static_cast<double>(value);
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }

  void Add(const Histogram& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    total_ += other.total_;
    sum_ += other.sum_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
  }

  [[nodiscard]] std::uint64_t total() const { return total_; }
  // These are 0 if no value was added.
  [[nodiscard]] std::uint64_t min() const { return total_ == 0 ? 0 : min_; }
  [[nodiscard]] std::uint64_t max() const { return max_; }
  [[nodiscard]] double mean() const { return total_ == 0 ? 0 : sum_ / static_cast<double>(total_); }

  // Returns the smallest value such that at least this share of all values does not exceed it,
  // rounded up to the end of its step; 0 if no value was added.
  [[nodiscard]] std::uint64_t Quantile(Portion share) const {
    const Uint128 scaled = static_cast<Uint128>(total_) * share.millionths;
    const auto wanted = static_cast<std::uint64_t>(DivCeil(scaled, Portion::kAll));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted && seen > 0) return std::min(ValueAt(i + 1) - 1, max_);
    }
    return max_;
  }

 private:
  static constexpr unsigned kBits = 6;
  static constexpr std::uint64_t kSteps = std::uint64_t{1} << kBits;

  static std::size_t IndexOf(std::uint64_t value) {
    if (value < kSteps) return static_cast<std::size_t>(value);
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - kBits - 1;
    return static_cast<std::size_t>((value >> shift) + kSteps * shift);
  }
  // Returns the smallest value of a step. For the index after the last step this is 2^64, which
  // wraps to 0.
  static std::uint64_t ValueAt(std::size_t index) {
    if (index < 2 * kSteps) return index;
    const std::uint64_t shift = index / kSteps - 1;
    return (index - kSteps * shift) << shift;
  }

  std::array<std::uint64_t, kSteps*(64 - kBits + 1)> counts_{};
  std::uint64_t total_ = 0;
  double sum_ = 0;
  std::uint64_t min_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_ = 0;
};

}  // namespace sluice
