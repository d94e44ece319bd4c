// HpackReader: the fields of HTTP/2 heads, one after another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/hpack_table.h"

namespace sluice {

// Reads blocks of HPACK (RFC 7541) as one peer sends them. All of them have to be read, and to
// their ends, since each may change what the next ones mean.
//
// Thread safety: none. Ownership: a value; blocks are the caller's.
//
// Invariants
//   (1) After a fault nothing more can be read from that peer.
//   (2) Reading a block takes time that grows with its length alone.
class HpackReader {
 public:
  enum class Found : std::uint8_t { kField, kEnd, kFault };

  // Begins a block, which must stay until its end was found.
  void Start(std::string_view block);

  // The next field. Its texts are good until the next call.
  Found Next(HpackField& field);

 private:
  // What a field begins with: which of its bits tell its form, the others begin a number.
  static constexpr std::uint8_t kIndexed = 0x80;
  static constexpr std::uint8_t kAdded = 0x40;
  static constexpr std::uint8_t kCapacity = 0x20;
  static constexpr std::uint8_t kNeverAdded = 0x10;

  std::optional<std::uint64_t> TakeNumber(unsigned prefix_bits);
  // A text, kept in `room` where it has to be.
  std::optional<std::string_view> TakeText(std::string& room);
  bool TakeCapacity();
  // A field that is added to the table.
  Found TakeAdded(HpackField& field);
  // One that is not.
  Found TakePassing(std::uint8_t first, HpackField& field);
  // Its name, which `number` tells or which follows, and its value.
  Found TakeTexts(std::uint64_t number, HpackField& field);

  // A field that is not added though it comes with every request, as some clients write paths and
  // tokens: how it was written, and what that says.
  struct Passing {
    std::string written;
    std::string name;
    std::string value;
    Http2FieldKind kind = Http2FieldKind::kOther;
  };
  static void Remember(std::string_view written, const HpackField& field, Passing& passing);

  HpackTable table_;
  std::string_view rest_;
  bool has_field_ = false;  // of this block
  std::string name_;
  std::string value_;
  // The last ones that may be added by others on the way, and that may not.
  std::array<Passing, 2> passing_;
};

}  // namespace sluice
