#include "wire/http2/hpack_reader.h"

#include "wire/http2/hpack_huffman.h"

namespace sluice {
namespace {

// Buffers with a larger capacity than this are freed.
constexpr std::size_t kRoomKept = 1024;

// Sizes of fields that are cached although they are not added to the table. Shorter fields decode
// as fast without the cache.
constexpr std::size_t kMinPassing = 16;
constexpr std::size_t kMaxPassing = 256;

void Empty(std::string& room) {
  room.clear();
  if (room.capacity() > kRoomKept) std::string().swap(room);
}

}  // namespace

void HpackReader::Start(std::string_view block) {
  rest_ = block;
  has_field_ = false;
}

HpackReader::Found HpackReader::Next(HpackField& field) {
  for (;;) {
    if (rest_.empty()) {
      // The connection may be idle from here on, so free large buffers.
      Empty(name_);
      Empty(value_);
      return Found::kEnd;
    }
    const auto first = static_cast<std::uint8_t>(rest_.front());
    if ((first & kIndexed) != 0) {
      const std::optional<std::uint64_t> number = TakeNumber(7);
      has_field_ = true;
      return number && table_.Find(*number, field) ? Found::kField : Found::kFault;
    }
    if ((first & kAdded) != 0 || (first & kCapacity) == 0) {
      has_field_ = true;
      return (first & kAdded) != 0 ? TakeAdded(field) : TakePassing(first, field);
    }
    if (!TakeCapacity()) return Found::kFault;
  }
}

HpackReader::Found HpackReader::TakeAdded(HpackField& field) {
  const std::optional<std::uint64_t> number = TakeNumber(6);
  if (!number || TakeTexts(*number, field) == Found::kFault) return Found::kFault;
  // Copy the name, because Add may move the texts in the table.
  if (*number != 0) field.name = name_.assign(field.name);
  table_.Add(field);
  return Found::kField;
}

HpackReader::Found HpackReader::TakePassing(std::uint8_t first, HpackField& field) {
  Passing& last = passing_[(first & kNeverAdded) != 0 ? 1 : 0];
  if (!last.written.empty() && rest_.starts_with(last.written)) {
    rest_.remove_prefix(last.written.size());
    field = {last.name, last.value, last.kind, last.kind};
    return Found::kField;
  }
  const std::string_view before = rest_;
  const std::optional<std::uint64_t> number = TakeNumber(4);
  if (!number || TakeTexts(*number, field) == Found::kFault) return Found::kFault;
  const std::string_view written = before.substr(0, before.size() - rest_.size());
  // Entries of the dynamic table change, so cache a field only if its name is literal or static.
  const bool is_worth_it = written.size() >= kMinPassing && written.size() <= kMaxPassing;
  if (is_worth_it && *number <= HpackTable::kStaticCount) Remember(written, field, last);
  return Found::kField;
}

void HpackReader::Remember(std::string_view written, const HpackField& field, Passing& passing) {
  passing.written.assign(written);
  passing.name.assign(field.name);
  passing.value.assign(field.value);
  passing.kind = field.kind;
}

HpackReader::Found HpackReader::TakeTexts(std::uint64_t number, HpackField& field) {
  Empty(name_);
  Empty(value_);
  if (number != 0) {
    if (!table_.Find(number, field)) return Found::kFault;
  } else {
    const std::optional<std::string_view> name = TakeText(name_);
    if (!name) return Found::kFault;
    field.name = *name;
    field.name_kind = KindOfHttp2Name(field.name);
  }
  const std::optional<std::string_view> value = TakeText(value_);
  if (!value) return Found::kFault;
  field.value = *value;
  field.kind = KindOfHttp2Field(field.name_kind, field.value);
  return Found::kField;
}

// A table size update is allowed only before the first field of a block.
bool HpackReader::TakeCapacity() {
  const std::optional<std::uint64_t> capacity = TakeNumber(5);
  if (has_field_ || !capacity || *capacity > HpackTable::kMaxCapacity) return false;
  table_.SetCapacity(static_cast<std::size_t>(*capacity));
  return true;
}

std::optional<std::uint64_t> HpackReader::TakeNumber(unsigned prefix_bits) {
  constexpr unsigned kMaxShift = 28;  // larger numbers exceed every block
  const std::uint64_t max = (1U << prefix_bits) - 1;
  if (rest_.empty()) return std::nullopt;
  std::uint64_t number = static_cast<std::uint8_t>(rest_.front()) & max;
  rest_.remove_prefix(1);
  if (number < max) return number;
  for (unsigned shift = 0; shift <= kMaxShift && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    number += std::uint64_t{byte & 0x7FU} << shift;
    if ((byte & 0x80U) == 0) return number;
  }
  return std::nullopt;
}

std::optional<std::string_view> HpackReader::TakeText(std::string& room) {
  if (rest_.empty()) return std::nullopt;
  const bool is_coded = (static_cast<std::uint8_t>(rest_.front()) & 0x80U) != 0;
  const std::optional<std::uint64_t> length = TakeNumber(7);
  if (!length || *length > rest_.size()) return std::nullopt;
  const std::string_view text = rest_.substr(0, static_cast<std::size_t>(*length));
  rest_.remove_prefix(text.size());
  if (!is_coded) return text;
  if (!AppendHuffmanText(text, room)) return std::nullopt;
  return room;
}

}  // namespace sluice
