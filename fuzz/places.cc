#include "fuzz/places.h"

#include <cstddef>

#include "base/utf8.h"
#include "fuzz/must.h"

namespace sluice::fuzz {
namespace {

// Recognizes C0, delete and C1 characters; UTF-8 encodes the latter as C2 and the byte itself.
bool IsControl(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (first < 0x20 || first == 0x7F) return true;
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

}  // namespace

void MustBeMessage(std::string_view message) {
  Must(!message.empty(), "a message says something");
  while (!message.empty()) {
    const std::size_t size = Utf8SizeAt(message);
    Must(size != 0, "a message is UTF-8");
    Must(!IsControl(message), "a message has no control characters");
    message.remove_prefix(size);
  }
}

Places::Places(std::string_view text) : characters_(1) {
  for (const char c : text) {
    if (c == '\n') {
      characters_.push_back(0);
    } else if (!IsUtf8Continuation(c)) {
      ++characters_.back();
    }
  }
}

void Places::MustHave(Position at) const {
  Must(at.line >= 1 && at.line <= characters_.size(), "a place is on a line of its text");
  Must(at.column >= 1 && at.column <= characters_[at.line - 1] + 1,
       "a place is in a column of its line, or where that ends");
}

void Places::MustHave(const Value& value) const {
  MustHave(value.At());
  if (const Value::List* list = value.AsList()) {
    for (const Value& item : *list) MustHave(item);
  }
  if (const Value::Map* map = value.AsMap()) {
    for (const Value::Entry& entry : *map) {
      MustHave(entry.key_at);
      MustHave(entry.value);
    }
  }
}

}  // namespace sluice::fuzz
