#include "rules/compile/text_map.h"

#include <utility>

namespace sluice {
namespace {

constexpr std::size_t kMinEntries = 8;

}  // namespace

std::uint32_t TextMap::FindOrAdd(std::string_view text, std::uint32_t number) {
  if (entries_.size() <= 2 * size_) Grow();
  const std::uint64_t hash = HashText(text);
  Entry& entry = entries_[Place(text, hash)];
  if (entry.number == kNone) {
    entry = {static_cast<std::uint32_t>(hash >> 32U), number, std::string(text)};
    ++size_;
  }
  return entry.number;
}

void TextMap::Grow() {
  std::vector<Entry> old(entries_.empty() ? kMinEntries : entries_.size() * 2);
  old.swap(entries_);
  for (Entry& entry : old) {
    if (entry.number == kNone) continue;
    const std::size_t at = Place(entry.text, HashText(entry.text));
    entries_[at] = std::move(entry);
  }
}

}  // namespace sluice
