// HpackTable: the fields that a block of HPACK may name by a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/http2_field.h"

namespace sluice {

struct HpackField {
  std::string_view name;
  std::string_view value;
  Http2FieldKind kind = Http2FieldKind::kOther;
  Http2FieldKind name_kind = Http2FieldKind::kOther;  // by its name alone
};

// The 61 fields of RFC 7541, appendix A, and behind them those that the peer has added, the newest
// first. What kind of field one is, and of name, is found out once, when it is added: a name of
// thousands of bytes may be named again by two.
//
// Thread safety: none. Ownership: a value. Of an idle connection it holds what its peer has added,
// 12 KiB at most.
//
// Invariants
//   (1) What was added takes at most `capacity` bytes, 32 for each field beside its texts. The
//       oldest go first; one that is larger than all there is room for leaves nothing.
class HpackTable {
 public:
  static constexpr std::size_t kCapacityMost = 4096;  // the default, and nothing else is agreed
  static constexpr std::size_t kStaticCount = 61;     // fields that always are

  // Numbers begin with 1. False if there is none. The views are good until the next Add.
  [[nodiscard]] bool Find(std::uint64_t number, HpackField& field) const;

  // REQUIRES: the texts are not in the table.
  void Add(const HpackField& field);

  // REQUIRES: at most kCapacityMost.
  void SetCapacity(std::size_t capacity);

  [[nodiscard]] std::size_t size_for_test() const { return size_; }

 private:
  struct Entry {
    std::uint32_t begin = 0;  // in bytes_
    std::uint16_t name_size = 0;
    std::uint16_t value_size = 0;
    Http2FieldKind kind = Http2FieldKind::kOther;
    Http2FieldKind name_kind = Http2FieldKind::kOther;
  };

  static std::size_t SizeOf(const Entry& entry) {
    return std::size_t{entry.name_size} + entry.value_size + 32;
  }

  // Lets the oldest go until `room` bytes are free.
  void MakeRoom(std::size_t room);
  // Moves what is left to the front.
  void Compact();

  std::size_t capacity_ = kCapacityMost;
  std::size_t size_ = 0;
  std::size_t gone_ = 0;  // of entries_, from the front
  std::vector<Entry> entries_;
  std::string bytes_;  // of their texts
};

}  // namespace sluice
