// KeyWriter: the parts of a key, one after another, so that no two lists of parts look the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rules/attribute_value.h"
#include "rules/ip_address.h"

namespace sluice {

// Appends to a string it does not own. Every part says which alternative it is and how long, so
// ("b", "c_d_e") and ("b", "c", "d_e") differ whatever is in them.
class KeyWriter {
 public:
  explicit KeyWriter(std::string& to) : to_(to), begin_(to.size()) {}

  // `alternative`: which of the attributes that could make this part did. REQUIRES: below 128.
  void Add(std::string_view bytes, std::uint8_t alternative = 0) {
    to_.push_back(static_cast<char>(alternative));
    AddLength(bytes.size());
    to_.append(bytes);
  }

  // An address, cut to `lengths`; the text as it is where it is none.
  void AddIp(AttributeValue& value, std::uint8_t alternative, IpPrefixLengths lengths) {
    if (!value.Ip()) return Add(value.text(), alternative);
    const IpAddress cut = Cut(*value.Ip(), lengths);
    to_.push_back(static_cast<char>(alternative | kAddress));
    AddWord(cut.high);
    AddWord(cut.low);
  }

  [[nodiscard]] std::uint32_t begin() const { return static_cast<std::uint32_t>(begin_); }
  [[nodiscard]] std::uint32_t size() const {
    return static_cast<std::uint32_t>(to_.size() - begin_);
  }

 private:
  static constexpr unsigned kAddress = 0x80;

  void AddLength(std::size_t length) {
    for (; length >= 0x80; length >>= 7U) to_.push_back(static_cast<char>(0x80U | length));
    to_.push_back(static_cast<char>(length));
  }
  void AddWord(std::uint64_t word) {
    for (int i = 0; i < 8; ++i, word >>= 8U) to_.push_back(static_cast<char>(word));
  }

  std::string& to_;
  std::size_t begin_;
};

}  // namespace sluice
