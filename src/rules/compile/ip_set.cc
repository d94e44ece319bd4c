#include "rules/compile/ip_set.h"

#include <algorithm>

#include "base/int128.h"

namespace sluice {
namespace {

// All addresses of one family from first to last, both included.
template <typename Key>
struct Range {
  Key first;
  Key last;
};

template <typename Key>
Range<Key> RangeOf(Key address, int length) {
  constexpr int kBits = 8 * sizeof(Key);
  // A shift by all bits is undefined.
  const Key below = length == 0 ? ~Key{0} : (Key{1} << static_cast<unsigned>(kBits - length)) - 1;
  return {address & ~below, address | below};
}

Uint128 BitsOf(const IpAddress& address) { return Uint128{address.high} << 64U | address.low; }

// Sorts the ranges and merges those that overlap or adjoin.
template <typename Key>
void Merge(std::vector<Range<Key>>& ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range<Key>& a, const Range<Key>& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (const Range<Key>& range : ranges) {
    // If range.first is 0, it is not above the last address of the range before, so the subtraction
    // never underflows when it is evaluated.
    if (kept > 0 &&
        (range.first <= ranges[kept - 1].last || range.first - 1 == ranges[kept - 1].last)) {
      ranges[kept - 1].last = std::max(ranges[kept - 1].last, range.last);
    } else {
      ranges[kept++] = range;
    }
  }
  ranges.resize(kept);
}

template <typename Key>
bool StartsInside(const std::vector<Range<Key>>& ranges) {
  return !ranges.empty() && ranges.front().first == 0;
}

// A range that ends at the highest address has a turn there, too; no address is above it.
template <typename Key>
std::vector<Key> TurnsOf(const std::vector<Range<Key>>& ranges) {
  std::vector<Key> turns;
  turns.reserve(2 * ranges.size());
  for (const Range<Key>& range : ranges) {
    if (range.first != 0) turns.push_back(range.first - 1);
    turns.push_back(range.last);
  }
  return turns;
}

bool IsMember(bool starts_inside, std::size_t turns_below) {
  return starts_inside != (turns_below % 2 == 1);
}

// Every range has two turns, except one that begins at address 0.
std::size_t CountRanges(bool starts_inside, std::size_t turns) {
  return (turns + static_cast<std::size_t>(starts_inside)) / 2;
}

}  // namespace

IpSet::IpSet(const std::vector<IpPrefix>& prefixes) {
  std::vector<Range<std::uint32_t>> v4;
  std::vector<Range<Uint128>> v6;
  for (const IpPrefix& prefix : prefixes) {
    if (prefix.address.IsV4()) {
      v4.push_back(RangeOf(prefix.address.V4(), prefix.length));
    } else {
      v6.push_back(RangeOf(BitsOf(prefix.address), prefix.length));
    }
  }
  Merge(v4);
  v4_starts_inside_ = StartsInside(v4);
  const std::vector<std::uint32_t> turns = TurnsOf(v4);
  v4_cells_ = IpCells(turns, v4_starts_inside_);
  v4_turns_ = SearchTree<std::uint32_t>(turns);

  Merge(v6);
  v6_starts_inside_ = StartsInside(v6);
  std::vector<std::uint64_t> high;
  for (const Uint128 turn : TurnsOf(v6)) {
    high.push_back(static_cast<std::uint64_t>(turn >> 64U));
    v6_low_turns_.push_back(static_cast<std::uint64_t>(turn));
  }
  v6_low_turns_.shrink_to_fit();
  v6_turns_ = SearchTree<std::uint64_t>(high);
}

bool IpSet::Contains(const IpAddress& address) const {
  if (address.IsV4()) {
    const IpCells::Share share = v4_cells_.At(address.V4());
    if (share != IpCells::Share::kSome) return share == IpCells::Share::kAll;
    return IsMember(v4_starts_inside_, v4_turns_.CountBelow(address.V4()));
  }
  return IsMember(v6_starts_inside_, V6TurnsBelow(address));
}

std::size_t IpSet::V6TurnsBelow(const IpAddress& address) const {
  const auto is_below = [&](std::size_t turn) {
    return v6_turns_.At(turn) == address.high && v6_low_turns_[turn] < address.low;
  };
  // Usually few turns share their upper half, so the steps over them start small and double.
  std::size_t below = v6_turns_.CountBelow(address.high);
  std::size_t step = 1;
  while (below + step <= v6_turns_.size() && is_below(below + step - 1)) {
    below += step;
    step *= 2;
  }
  std::size_t end = std::min(below + step - 1, v6_turns_.size());
  while (below < end) {
    const std::size_t middle = below + (end - below) / 2;
    if (is_below(middle)) {
      below = middle + 1;
    } else {
      end = middle;
    }
  }
  return below;
}

std::size_t IpSet::RangeCountForTest() const {
  return CountRanges(v4_starts_inside_, v4_turns_.size()) +
         CountRanges(v6_starts_inside_, v6_turns_.size());
}

std::size_t IpSet::MemoryBytesForTest() const {
  return v4_cells_.MemoryBytes() + v4_turns_.MemoryBytes() + v6_turns_.MemoryBytes() +
         v6_low_turns_.capacity() * sizeof(std::uint64_t);
}

}  // namespace sluice
