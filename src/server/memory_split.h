// Splits `store.memory` between the memory store and the caches of a remote store.
#pragma once

#include <algorithm>
#include <cstdint>

#include "config/settings/settings.h"

namespace sluice::cli {

struct MemorySplit {
  std::int64_t states = 0;  // for the memory store
  std::int64_t tables = 0;  // for leases, eventual counts and the deny cache
};

// The minimum for a memory store.
inline constexpr std::int64_t kStatesMin = MiB(16).count;

// Splits the memory in bytes. Only a remote store has tables.
inline MemorySplit SplitMemory(const StoreSettings& settings) {
  const std::int64_t all = settings.memory.count;
  if (settings.url.kind == StoreUrl::Kind::kMemory) return {.states = all};
  const std::int64_t part = all / 100 * settings.cache_percent;
  const std::int64_t tables = std::clamp<std::int64_t>(all - kStatesMin, 0, part);
  return {.states = all - tables, .tables = tables};
}

}  // namespace sluice::cli
