// ProtoReader: reads the fields of one protobuf message, one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice {

// The encoding of a field's value.
enum class WireType : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,  // strings, bytes and messages
  kFixed32 = 5,
};

// Returns the tag that precedes a field's value: its number and wire type.
constexpr std::uint32_t FieldKey(std::uint32_t field, WireType type) {
  return field << 3U | static_cast<std::uint32_t>(type);
}
constexpr std::uint32_t VarintKey(std::uint32_t field) {
  return FieldKey(field, WireType::kVarint);
}
constexpr std::uint32_t BytesKey(std::uint32_t field) { return FieldKey(field, WireType::kBytes); }

// Reads a message from the front:
//
//   while (reader.Next()) {
//     switch (reader.key()) {
//       case VarintKey(3): cost = reader.Varint(); break;
//       default: reader.Skip();
//     }
//   }
//   if (reader.failed()) ...
//
// This is stricter than protozero, which throws, truncates keys and lengths to 32 bits and leaves
// type checks to its caller: groups, keys over 32 bits and numbers over 64 bits are errors here.
//
// Thread safety: none. Ownership: the reader and the values it returns view the caller's bytes.
//
// Invariants
//   (1) After the first error Next returns false, values are empty, and nothing more is read.
//   (2) No byte outside of the message is read.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  // Moves to the next field. Returns false at the end and after an error. REQUIRES: the value of
  // the previous field was read or skipped.
  bool Next() {
    if (at_ == end_) return false;
    const auto byte = static_cast<unsigned char>(*at_);
    if (byte >= 0x80) return ReadLongKey();
    key_ = byte;
    ++at_;
    return true;
  }

  // The tag and the number of the current field.
  [[nodiscard]] std::uint32_t key() const { return key_; }
  [[nodiscard]] std::uint32_t field() const { return key_ >> 3U; }

  // Returns the value of the current field. REQUIRES: its type is kVarint.
  std::uint64_t Varint() {
    if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80) {
      return static_cast<unsigned char>(*at_++);
    }
    return ReadLongVarint();
  }

  // Returns the value of the current field. REQUIRES: its type is kBytes.
  std::string_view Bytes() {
    const std::uint64_t size = Varint();
    if (size > static_cast<std::uint64_t>(end_ - at_)) {
      Fail("is cut off");
      return {};
    }
    const std::string_view bytes(at_, static_cast<std::size_t>(size));
    at_ += size;
    return bytes;
  }

  // Skips the value of the current field, whatever its type.
  void Skip();

  [[nodiscard]] bool failed() const { return !fault_.empty(); }
  // Describes the error as the rest of a sentence about the message; empty if there is none.
  [[nodiscard]] std::string_view fault() const { return fault_; }

 private:
  bool ReadLongKey();
  std::uint64_t ReadLongVarint();
  void SkipFixed(std::size_t size);
  void Fail(std::string_view fault);

  const char* at_;
  const char* end_;
  std::uint32_t key_ = 0;
  std::string_view fault_;
};

}  // namespace sluice
