#include "rules/text_map.h"

#include <utility>

#include "core/sip_hash.h"

namespace sluice {
namespace {

constexpr std::size_t kEntriesLeast = 8;

}  // namespace

std::uint64_t TextMap::Hash(std::string_view text) { return SipHash(HashSeed{}).Finish(text); }

std::size_t TextMap::Place(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = entries_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32U);
  std::size_t at = hash & mask;
  for (;; at = (at + 1) & mask) {
    const Entry& entry = entries_[at];
    if (entry.number == kNone || (entry.tag == tag && entry.text == text)) return at;
  }
}

std::uint32_t TextMap::Find(std::string_view text) const {
  if (size_ == 0) return kNone;
  return entries_[Place(text, Hash(text))].number;
}

std::uint32_t TextMap::FindOrAdd(std::string_view text, std::uint32_t number) {
  if (entries_.size() <= 2 * size_) Grow();
  const std::uint64_t hash = Hash(text);
  Entry& entry = entries_[Place(text, hash)];
  if (entry.number == kNone) {
    entry = {static_cast<std::uint32_t>(hash >> 32U), number, std::string(text)};
    ++size_;
  }
  return entry.number;
}

void TextMap::Grow() {
  std::vector<Entry> old(entries_.empty() ? kEntriesLeast : entries_.size() * 2);
  old.swap(entries_);
  for (Entry& entry : old) {
    if (entry.number == kNone) continue;
    const std::size_t at = Place(entry.text, Hash(entry.text));
    entries_[at] = std::move(entry);
  }
}

}  // namespace sluice
