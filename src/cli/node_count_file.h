// The number of nodes of a fleet, as a small file keeps it over a restart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sluice/result.h"

namespace sluice::cli {

// The largest number that is written and read.
inline constexpr std::int64_t kNodeCountMax = 10'000;

// The number that WriteNodeCount wrote; none where there is no file. An error where the file is
// anything but a regular one that holds such a number and nothing else; symbolic links are not
// followed, and no more than a few bytes are read.
Result<std::optional<std::int64_t>> ReadNodeCount(const std::string& path);

// Replaces the file as a whole: a crash leaves the old one or the new one. Only its owner may read
// it. REQUIRES: 1 to kNodeCountMax.
Result<Done> WriteNodeCount(const std::string& path, std::int64_t nodes);

}  // namespace sluice::cli
