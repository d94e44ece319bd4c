// TaskSlice: what one of several threads takes of a task.
#pragma once

#include <cstdint>

namespace sluice {

// Number `index` of `count`. It takes every count-th item of a sequence, from `index` on.
struct TaskSlice {
  std::uint64_t index = 0;
  std::uint64_t count = 1;

  // How many of the first `items` are its own.
  [[nodiscard]] constexpr std::uint64_t Of(std::uint64_t items) const {
    return items / count + (index < items % count ? 1 : 0);
  }
};

}  // namespace sluice
