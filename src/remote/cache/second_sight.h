// SecondSight: distinguishes known keys from new ones, in fixed memory.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "store/fleet_key.h"

namespace sluice {

// Each key maps to one cell, which holds the fingerprint of the last key that was looked up there.
// A key is known if its cell still holds its fingerprint. A new key is taken for a known one with a
// probability of 2^-31. A key that returns after `cells` other keys has been forgotten with a
// probability of about 63 %; one that returns sooner is more likely to be known.
//
// Thread safety: every method may be called from any thread. It allocates only in the constructor.
class SecondSight {
 public:
  static constexpr std::size_t kCellBytes = sizeof(std::uint32_t);

  // The number of cells is rounded down to a power of two.
  explicit SecondSight(std::size_t cells)
      : mask_(std::bit_floor(cells < 1 ? 1 : cells) - 1),
        cells_(std::make_unique<std::atomic<std::uint32_t>[]>(mask_ + 1)) {}

  // Returns whether the key was seen before, and marks it as seen.
  [[nodiscard]] bool SeenBefore(const FleetKey& key) {
    // Keys are hashes already. The product only spreads keys that tests make up.
    const std::uint64_t mixed = (key.high ^ std::rotl(key.low, 32)) * 0x9E3779B97F4A7C15U;
    std::atomic<std::uint32_t>& cell = cells_[(mixed >> 40U) & mask_];
    // 0 is an empty cell.
    const std::uint32_t print = static_cast<std::uint32_t>(mixed >> 16U) | 1U;
    if (cell.load(std::memory_order_relaxed) == print) return true;
    cell.store(print, std::memory_order_relaxed);
    return false;
  }

 private:
  const std::size_t mask_;
  const std::unique_ptr<std::atomic<std::uint32_t>[]> cells_;
};

}  // namespace sluice
