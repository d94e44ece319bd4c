// ProtoWriter: writes protobuf fields into a buffer that was allocated in advance.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "wire/grpc/proto_reader.h"

namespace sluice {

// The maximum size of a number field,
inline constexpr std::size_t kNumberRoom = 1 + 10;
// of a message field without the fields inside it (which take less than 4 GiB),
inline constexpr std::size_t kMessageRoom = 1 + 5;
// and of a text field.
constexpr std::size_t TextRoom(std::string_view text) { return kMessageRoom + text.size(); }

// Writes fields one after another into a buffer that is large enough for them. The size of a nested
// message is known only when it ends, so one byte is reserved for it; a message of 128 bytes or
// more is then moved to make room. (protozero's writer reserves five bytes, so that it moves every
// message; if given the size in advance, it lets no other field follow.)
//
// Thread safety: none. Ownership: refers to the caller's buffer.
//
// Invariants
//   (1) Nothing is written past the end of the buffer.
//   (2) Field numbers are below 16, so that a tag is one byte.
class ProtoWriter {
 public:
  ProtoWriter(char* begin, std::size_t size) : at_(begin), end_(begin + size) {}

  // Writes a number. WriteNumber leaves the field out if the value is 0.
  void Number(std::uint32_t field, std::uint64_t value) {
    Key(VarintKey(field));
    Varint(value);
  }
  void WriteNumber(std::uint32_t field, std::uint64_t value) {
    if (value != 0) Number(field, value);
  }

  // Writes a field of eight bytes.
  void Fixed64(std::uint32_t field, std::uint64_t bits) {
    Key(FieldKey(field, WireType::kFixed64));
    assert(sizeof(bits) <= static_cast<std::size_t>(end_ - at_));
    for (unsigned shift = 0; shift < 64; shift += 8) *at_++ = static_cast<char>(bits >> shift);
  }

  // Writes text or bytes. WriteText leaves the field out if the text is empty.
  void Bytes(std::uint32_t field, std::string_view bytes) {
    Key(BytesKey(field));
    Varint(bytes.size());
    assert(bytes.size() <= static_cast<std::size_t>(end_ - at_));
    if (!bytes.empty()) std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }
  void WriteText(std::uint32_t field, std::string_view text) {
    if (!text.empty()) Bytes(field, text);
  }

  // Writes a nested message, whose fields write(*this) writes.
  template <typename Write>
  void Message(std::uint32_t field, const Write& write) {
    Key(BytesKey(field));
    char* const size_at = at_++;
    write(*this);
    const auto size = static_cast<std::size_t>(at_ - size_at) - 1;
    if (size < 0x80) {
      *size_at = static_cast<char>(size);
    } else {
      MoveAndSize(size_at, size);
    }
  }

  [[nodiscard]] char* at() const { return at_; }

 private:
  void Key(std::uint32_t key) {
    assert(key < 0x80 && at_ < end_);
    *at_++ = static_cast<char>(key);
  }
  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) *at_++ = static_cast<char>(value | 0x80U);
    *at_++ = static_cast<char>(value);
  }

  // Moves the last `size` bytes, which are a message, and writes the size in front of them.
  void MoveAndSize(char* size_at, std::size_t size);

  char* at_;
  [[maybe_unused]] char* end_;  // for assertions
};

// Appends the fields that write(writer) writes, at most `room` bytes. `out` may keep a capacity of
// that much.
template <typename Write>
void AppendProto(std::size_t room, std::string& out, const Write& write) {
  const std::size_t old_size = out.size();
  out.resize(old_size + room);
  ProtoWriter writer(out.data() + old_size, room);
  write(writer);
  out.resize(static_cast<std::size_t>(writer.at() - out.data()));
}

}  // namespace sluice
