// TextMap: texts to small numbers, built once and then only read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rules/text_hash.h"

namespace sluice {

// An open-addressing hash table from texts to numbers, for names and values of rule files.
//
// Thread safety: reading from any thread once nothing is added any more.
// Cost: Find takes one hash and, at a load of at most a half, rarely a second look; it allocates
// nothing. What is in it is chosen by whoever writes the rules, and what is looked up cannot make
// it any slower, so the hash needs no secret.
class TextMap {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // The number of a text, or kNone.
  [[nodiscard]] std::uint32_t Find(std::string_view text) const {
    return size_ == 0 ? kNone : entries_[Place(text, HashText(text))].number;
  }

  // The number of a text, which is `number` if it was not there. REQUIRES: number != kNone.
  std::uint32_t FindOrAdd(std::string_view text, std::uint32_t number);

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Entry {
    std::uint32_t tag = 0;  // some bits of the hash, so that most texts are compared once
    std::uint32_t number = kNone;
    std::string text;
  };

  // Where a text is or would be. REQUIRES: entries_ is not empty.
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

  std::vector<Entry> entries_;  // a power of two
  std::size_t size_ = 0;
};

}  // namespace sluice
