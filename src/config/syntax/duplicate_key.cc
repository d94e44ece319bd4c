#include "config/syntax/duplicate_key.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace sluice {

const Value::Entry* FindDuplicateKey(const Value::Map& entries) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&entries](std::size_t a, std::size_t b) {
    return entries[a].key < entries[b].key;
  });
  const auto twice = std::adjacent_find(
      order.begin(), order.end(),
      [&entries](std::size_t a, std::size_t b) { return entries[a].key == entries[b].key; });
  return twice == order.end() ? nullptr : &entries[*(twice + 1)];
}

}  // namespace sluice
