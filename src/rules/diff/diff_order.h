// Finds the names that have moved between two orders of names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// `name` is now before or after `neighbor`, and was not so far.
struct Move {
  enum class Where { kBefore, kAfter };

  std::string_view name;
  Where where = Where::kBefore;
  std::string_view neighbor;
};

// Returns the smallest set of moves that turns one order into the other, in the order of `after`.
// Ignores names that are in only one of them. The result refers to the arguments' names. REQUIRES:
// no name occurs twice in either order.
std::vector<Move> FindMoves(std::span<const std::string_view> before,
                            std::span<const std::string_view> after);

}  // namespace sluice
