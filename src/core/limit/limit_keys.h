// The keys of a limit: their names in rule files and the algorithms they belong to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/limit/limit.h"
#include "sluice/limit.h"

namespace sluice {

// A set of algorithms.
struct Algorithms {
  std::uint32_t bits = 0;

  [[nodiscard]] constexpr bool Has(Algorithm algorithm) const {
    return ((bits >> static_cast<unsigned>(algorithm)) & 1U) != 0;
  }
};

struct LimitKey {
  std::string_view name;
  Algorithms of;  // the algorithms it belongs to
  bool (*is_written)(const LimitSpec& spec);
};

// Returns every key except `algorithm`, in the order in which they are best written.
std::span<const LimitKey> LimitKeys();

// Returns the names of the keys that a limit of this algorithm may have, including `algorithm`.
std::vector<std::string_view> KeyNames(Algorithm algorithm);

// Returns the names of the keys of all algorithms.
std::vector<std::string_view> AllKeyNames();

// Returns an error for the first key that is set but does not belong to the algorithm or its
// variant.
std::optional<LimitError> FindStrayKey(const LimitSpec& spec);

}  // namespace sluice
