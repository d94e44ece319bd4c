// The keys of a limit: their names in rule files, and which algorithm each belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/limit.h"
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

// Every key but `algorithm`, in the order they are best written.
std::span<const LimitKey> LimitKeys();

// The names of the keys a limit of this algorithm may have, `algorithm` among them.
std::vector<std::string_view> KeyNames(Algorithm algorithm);

// Every name there is.
std::vector<std::string_view> AllKeyNames();

// The first key that is written and does not belong to the algorithm or its variant.
std::optional<LimitError> FindStrayKey(const LimitSpec& spec);

}  // namespace sluice
