// KeyWriter: writes the parts of a key so that different lists of parts always make different keys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rules/model/attribute_value.h"
#include "rules/model/ip_address.h"

namespace sluice {

// Appends to a string that it does not own. Every part is preceded by its alternative and its
// length, so ("b", "c_d_e") and ("b", "c", "d_e") differ whatever bytes they contain.
class KeyWriter {
 public:
  explicit KeyWriter(std::string& to) : to_(to), begin_(to.size()) {}

  // `alternative` is the index of the attribute that provides this part, among those that could.
  // REQUIRES: below 128.
  void Add(std::string_view bytes, std::uint8_t alternative = 0) {
    to_.push_back(static_cast<char>(alternative));
    AddLength(bytes.size());
    to_.append(bytes);
  }

  // Adds an address, cut to `lengths`, or the text unchanged if it is not an address.
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
