// A small file that keeps the number of nodes of the fleet across restarts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sluice/result.h"

namespace sluice::cli {

// The maximum number that can be written and read.
inline constexpr std::int64_t kNodeCountMax = 10'000;

// Returns the number that WriteNodeCount wrote, or nothing if there is no file. Returns an error if
// the path is not a regular file that contains exactly such a number. Does not follow symbolic
// links and reads only a few bytes.
Result<std::optional<std::int64_t>> ReadNodeCount(const std::string& path);

// Replaces the file atomically: after a crash it is either the old or the new one. Only its owner
// can read it. REQUIRES: nodes is from 1 to kNodeCountMax.
Result<Done> WriteNodeCount(const std::string& path, std::int64_t nodes);

}  // namespace sluice::cli
