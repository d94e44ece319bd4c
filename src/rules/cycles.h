// Cycles among things that refer to one another by name.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// For each node the nodes it leads to.
using Edges = std::vector<std::vector<std::size_t>>;

// Cycles, each as its nodes in order and beginning with the first of them that was reached; none
// where there is no cycle. No node is in two of them, so of cycles that overlap one is found.
// REQUIRES: edges lead to nodes.
std::vector<std::vector<std::size_t>> FindCycles(const Edges& edges);

// "a -> b -> a"; the middle of a long one is left out.
std::string DescribeCycle(std::span<const std::string_view> names);

}  // namespace sluice
