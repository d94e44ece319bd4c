// Finds cycles among items that refer to one another by name.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// For each node, the nodes that its edges lead to.
using Edges = std::vector<std::vector<std::size_t>>;

// Returns cycles, each as its nodes in order, beginning with the node that the search reached
// first; empty if there are none. No node is in two of them: of cycles that overlap, one is
// returned. REQUIRES: every edge leads to a node.
std::vector<std::vector<std::size_t>> FindCycles(const Edges& edges);

// Returns "a -> b -> a"; leaves out the middle of a long cycle.
std::string DescribeCycle(std::span<const std::string_view> names);

}  // namespace sluice
