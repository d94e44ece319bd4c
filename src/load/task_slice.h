// TaskSlice: one thread's share of a task.
#pragma once

#include <cstdint>

namespace sluice {

// Slice `index` of `count` takes every count-th item of a sequence, beginning with item `index`.
struct TaskSlice {
  std::uint64_t index = 0;
  std::uint64_t count = 1;

  // Returns how many of the first `items` belong to this slice.
  [[nodiscard]] constexpr std::uint64_t Of(std::uint64_t items) const {
    return items / count + (index < items % count ? 1 : 0);
  }
};

}  // namespace sluice
