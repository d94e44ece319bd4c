// TextMap: maps texts to small numbers; built once and then only read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rules/compile/text_hash.h"

namespace sluice {

// An open-addressing hash table from texts to numbers, for names and values of rule files.
//
// Thread safety: any number of threads may read once nothing is added any more.
// Cost: Find computes one hash and, because at most half of the entries are used, rarely probes
// twice; it does not allocate. Only the author of the rules chooses the contents, and lookups
// cannot make the table slower, so the hash needs no secret.
class TextMap {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // Returns the number of a text, or kNone.
  [[nodiscard]] std::uint32_t Find(std::string_view text) const {
    return size_ == 0 ? kNone : entries_[Place(text, HashText(text))].number;
  }

  // Returns the number of a text; adds it as `number` if it is new. REQUIRES: number != kNone.
  std::uint32_t FindOrAdd(std::string_view text, std::uint32_t number);

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Entry {
    std::uint32_t tag = 0;  // some bits of the hash; avoids most comparisons of unequal texts
    std::uint32_t number = kNone;
    std::string text;
  };

  // Returns where a text is or would be inserted. REQUIRES: entries_ is not empty.
  [[nodiscard]] std::size_t Place(std::string_view text, std::uint64_t hash) const {
    const std::size_t mask = entries_.size() - 1;
    const auto tag = static_cast<std::uint32_t>(hash >> 32U);
    std::size_t at = hash & mask;
    for (;; at = (at + 1) & mask) {
      const Entry& entry = entries_[at];
      if (entry.number == kNone || (entry.tag == tag && entry.text == text)) return at;
    }
  }
  void Grow();

  std::vector<Entry> entries_;  // the size is a power of two
  std::size_t size_ = 0;
};

}  // namespace sluice
