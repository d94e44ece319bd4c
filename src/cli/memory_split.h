// How `store.memory` is divided.
#pragma once

#include <algorithm>
#include <cstdint>

#include "config/settings.h"

namespace sluice::cli {

struct MemorySplit {
  std::int64_t states = 0;  // of the memory store
  std::int64_t tables = 0;  // of leases, eventual counts and the deny cache
};

// What a memory store needs at least.
inline constexpr std::int64_t kStatesMin = MiB(16).count;

// The tables exist only beside a remote store.
inline MemorySplit SplitMemory(const StoreSettings& settings) {
  const std::int64_t all = settings.memory.count;
  if (settings.url.kind == StoreUrl::Kind::kMemory) return {.states = all};
  const std::int64_t part = all / 100 * settings.cache_percent;
  const std::int64_t tables = std::clamp<std::int64_t>(all - kStatesMin, 0, part);
  return {.states = all - tables, .tables = tables};
}

}  // namespace sluice::cli
