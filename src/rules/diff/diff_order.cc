#include "rules/diff/diff_order.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_map>

namespace sluice {
namespace {

// A name that is in both orders.
struct Item {
  std::string_view name;
  std::size_t old_place = 0;
  bool kept = false;
};

// Marks a longest increasing subsequence of old places: those items keep their relative order.
// `ends` holds, for each length, the subsequence whose last old place is lowest; every item extends
// the longest one that it can.
void MarkKept(std::vector<Item>& items) {
  std::vector<std::size_t> ends;                                // ends[n]: the last item of n + 1
  std::vector<std::optional<std::size_t>> prior(items.size());  // previous item of that subsequence
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto at = std::ranges::lower_bound(ends, items[i].old_place, {},
                                             [&](std::size_t end) { return items[end].old_place; });
    if (at != ends.begin()) prior[i] = *(at - 1);
    if (at == ends.end()) {
      ends.push_back(i);
    } else {
      *at = i;
    }
  }
  if (ends.empty()) return;
  for (std::optional<std::size_t> i = ends.back(); i; i = prior[*i]) items[*i].kept = true;
}

// Returns where an item is now, relative to a kept one. REQUIRES: at least one item is kept.
Move Describe(std::span<const Item> items, std::size_t moved) {
  const auto is_kept = [](const Item& item) { return item.kept; };
  const Item& item = items[moved];
  const auto next = std::ranges::find_if(items.subspan(moved), is_kept);
  if (next != items.end() && next->old_place < item.old_place) {
    return {item.name, Move::Where::kBefore, next->name};
  }
  std::size_t prior = moved;
  while (!items[prior].kept) --prior;
  return {item.name, Move::Where::kAfter, items[prior].name};
}

}  // namespace

std::vector<Move> FindMoves(std::span<const std::string_view> before,
                            std::span<const std::string_view> after) {
  std::unordered_map<std::string_view, std::size_t> old_places;
  for (std::size_t i = 0; i < before.size(); ++i) old_places.emplace(before[i], i);
  std::vector<Item> items;
  for (const std::string_view name : after) {
    const auto found = old_places.find(name);
    if (found != old_places.end()) items.push_back({name, found->second});
  }
  MarkKept(items);
  std::vector<Move> moves;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].kept) moves.push_back(Describe(items, i));
  }
  return moves;
}

}  // namespace sluice
