// PrefixMap: which of many prefixes a text begins with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// Prefixes with a number each, built once and then only read.
//
// All prefixes of a text stand in one chain: sorted, the last one that is not greater than the text
// is the longest of them or begins like it, and each knows the longest other one that it begins
// with. So a look-up is one binary search and a walk over what was found.
//
// Thread safety: reading from any thread once built.
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
