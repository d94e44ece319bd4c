// PrefixMap: finds which of many prefixes a text begins with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// Numbered prefixes, built once and then only read.
//
// All prefixes of a text are in one chain: in sorted order, the last entry that is not greater than
// the text is their longest or shares it as a prefix, and each entry links to the longest other
// entry that it begins with. A lookup is one binary search and a walk along the chain.
//
// Thread safety: any number of threads may read once it has been built.
class PrefixMap {
 public:
  PrefixMap() = default;
  explicit PrefixMap(const std::map<std::string, std::uint32_t>& prefixes);

  // Calls visit(number) for every prefix of `text`, the longest first.
  template <typename Visit>
  void ForEachPrefixOf(std::string_view text, Visit visit) const {
    std::uint32_t at = LastNotAfter(text);
    while (at != kNone && !text.starts_with(entries_[at].prefix)) at = entries_[at].shorter;
    for (; at != kNone; at = entries_[at].shorter) visit(entries_[at].number);
  }

  [[nodiscard]] bool empty() const { return entries_.empty(); }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Entry {
    std::string prefix;
    std::uint32_t number = 0;
    std::uint32_t shorter = kNone;  // the longest other entry that `prefix` begins with
  };

  [[nodiscard]] std::uint32_t LastNotAfter(std::string_view text) const;

  std::vector<Entry> entries_;  // sorted by prefix
};

}  // namespace sluice
