// What has moved from one order of names to another.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// `name` stands before or after `neighbor` and did not so far.
struct Move {
  enum class Where { kBefore, kAfter };

  std::string_view name;
  Where where = Where::kBefore;
  std::string_view neighbor;
};

// The fewest names whose moving turns one order into the other, in the order of `after`. Names that
// are in one of them alone do not count. Views the arguments. REQUIRES: no name twice in either.
std::vector<Move> FindMoves(std::span<const std::string_view> before,
                            std::span<const std::string_view> after);

}  // namespace sluice
