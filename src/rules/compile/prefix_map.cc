#include "rules/compile/prefix_map.h"

#include <algorithm>

namespace sluice {

PrefixMap::PrefixMap(const std::map<std::string, std::uint32_t>& prefixes) {
  entries_.reserve(prefixes.size());
  std::uint32_t last = kNone;
  for (const auto& [prefix, number] : prefixes) {
    // In sorted order, every entry that the new prefix begins with is in the chain of the entry
    // before.
    std::uint32_t shorter = last;
    while (shorter != kNone && !prefix.starts_with(entries_[shorter].prefix)) {
      shorter = entries_[shorter].shorter;
    }
    last = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({prefix, number, shorter});
  }
}

std::uint32_t PrefixMap::LastNotAfter(std::string_view text) const {
  const auto after = std::upper_bound(
      entries_.begin(), entries_.end(), text,
      [](std::string_view wanted, const Entry& entry) { return wanted < entry.prefix; });
  return after == entries_.begin() ? kNone
                                   : static_cast<std::uint32_t>(after - entries_.begin() - 1);
}

}  // namespace sluice
