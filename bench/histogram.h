// Histogram: counts of 64-bit values, to within 1.6 %.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sluice::bench {

// Values below 64 are counted one by one, larger ones by their power of two and the next six bits.
// So adding is a shift and an increment, and does not disturb what is timed.
//
// Thread safety: none.
class Histogram {
 public:
  void Add(std::uint64_t value) {
    ++counts_[IndexOf(value)];
    ++total_;
    max_ = std::max(max_, value);
  }

  [[nodiscard]] std::uint64_t max() const { return max_; }

  // The least value that at least this share of all values do not exceed, rounded down to a step.
  [[nodiscard]] std::uint64_t Quantile(double share) const {
    const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(total_)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted && seen > 0) return ValueAt(i);
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
  static std::uint64_t ValueAt(std::size_t index) {
    if (index < 2 * kSteps) return index;
    const std::uint64_t shift = index / kSteps - 1;
    return (index - kSteps * shift) << shift;
  }

  std::array<std::uint64_t, kSteps*(64 - kBits + 1)> counts_{};
  std::uint64_t total_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace sluice::bench
