// HpackTable: the static and dynamic tables of HPACK.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/http2/http2_field.h"

namespace sluice {

struct HpackField {
  std::string_view name;
  std::string_view value;
  Http2FieldKind kind = Http2FieldKind::kOther;
  Http2FieldKind name_kind = Http2FieldKind::kOther;  // kind by the name alone
};

// The 61 fields of RFC 7541, appendix A, followed by the fields that the peer has added, newest
// first. The kinds of a field and its name are computed once, when it is added, because two bytes
// can refer to a name of thousands of bytes again.
//
// Thread safety: none. Ownership: a value. Memory: at most 12 KiB for the fields its peer has
// added, kept while the connection is idle.
//
// Invariants
//   (1) The added fields take at most `capacity` bytes, counting 32 bytes per field beside its
//       texts. The oldest fields are evicted first; a field larger than the capacity empties the
//       table.
class HpackTable {
 public:
  static constexpr std::size_t kMaxCapacity = 4096;  // the default; never changed by our SETTINGS
  static constexpr std::size_t kStaticCount = 61;    // fields of the static table

  // Finds the field with this number; numbers begin with 1. Returns false if there is none. The
  // views are valid until the next Add.
  [[nodiscard]] bool Find(std::uint64_t number, HpackField& field) const;

  // Adds a field. REQUIRES: its texts are not views of the table.
  void Add(const HpackField& field);

  // Sets the capacity and evicts fields beyond it. REQUIRES: capacity <= kMaxCapacity.
  void SetCapacity(std::size_t capacity);

  [[nodiscard]] std::size_t size_for_test() const { return size_; }

 private:
  struct Entry {
    std::uint32_t begin = 0;  // offset in bytes_
    std::uint16_t name_size = 0;
    std::uint16_t value_size = 0;
    Http2FieldKind kind = Http2FieldKind::kOther;
    Http2FieldKind name_kind = Http2FieldKind::kOther;
  };

  static std::size_t SizeOf(const Entry& entry) {
    return std::size_t{entry.name_size} + entry.value_size + 32;
  }

  // Evicts the oldest fields until `room` bytes are free or the table is empty.
  void MakeRoom(std::size_t room);
  // Moves the remaining entries to the front.
  void Compact();

  std::size_t capacity_ = kMaxCapacity;
  std::size_t size_ = 0;
  std::size_t gone_ = 0;  // evicted entries at the front of entries_
  std::vector<Entry> entries_;
  std::string bytes_;  // the texts of entries_
};

}  // namespace sluice
