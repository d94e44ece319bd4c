// HpackReader: decodes the header fields of HTTP/2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/http2/hpack_table.h"

namespace sluice {

// Decodes the HPACK blocks (RFC 7541) that one peer sends. Every block must be read to its end,
// because each can change the meaning of the next ones.
//
// Thread safety: none. Ownership: a value; the caller owns the blocks.
//
// Invariants
//   (1) After an error nothing more can be read from that peer.
//   (2) The time to read a block depends only on its length.
class HpackReader {
 public:
  enum class Found : std::uint8_t { kField, kEnd, kFault };

  // Begins a block, whose bytes must stay in place until Next has returned kEnd.
  void Start(std::string_view block);

  // Reads the next field. Its texts are valid until the next call.
  Found Next(HpackField& field);

 private:
  // The bits of a field's first byte that select its representation; the bits below them begin a
  // number.
  static constexpr std::uint8_t kIndexed = 0x80;
  static constexpr std::uint8_t kAdded = 0x40;
  static constexpr std::uint8_t kCapacity = 0x20;
  static constexpr std::uint8_t kNeverAdded = 0x10;

  std::optional<std::uint64_t> TakeNumber(unsigned prefix_bits);
  // Reads a text. `room` holds it if it was Huffman-coded.
  std::optional<std::string_view> TakeText(std::string& room);
  bool TakeCapacity();
  // Reads a field that is added to the table.
  Found TakeAdded(HpackField& field);
  // Reads a field that is not added to the table.
  Found TakePassing(std::uint8_t first, HpackField& field);
  // Reads the name, which is entry `number` of the table or follows as text if that is 0, and the
  // value.
  Found TakeTexts(std::uint64_t number, HpackField& field);

  // A cached field. Some clients send paths and tokens with every request without adding them to
  // the table, so the last such field is kept in encoded and decoded form.
  struct Passing {
    std::string written;
    std::string name;
    std::string value;
    Http2FieldKind kind = Http2FieldKind::kOther;
  };
  static void Remember(std::string_view written, const HpackField& field, Passing& passing);

  HpackTable table_;
  std::string_view rest_;
  bool has_field_ = false;  // a field of this block was read
  std::string name_;
  std::string value_;
  // The last field that intermediaries may add to a table, and the last that they must not.
  std::array<Passing, 2> passing_;
};

}  // namespace sluice
