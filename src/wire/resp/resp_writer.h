// RespWriter: writes RESP2 and RESP3 replies and commands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sluice {

enum class RespVersion : std::uint8_t { k2, k3 };

// Appends replies to a text. The header of an array, map or set announces how many elements follow;
// the caller then writes those. In RESP2, types that only RESP3 has are written as Redis does: a
// map as an array of twice the size, a set as an array, a boolean as 0 or 1.
//
// Thread safety: none. Refers to the text, which is valid after every call.
//
// Invariants:
//  1. Whatever the texts contain, a conforming client reads exactly the replies that were written:
//     control bytes in line types (simple, error) become spaces.
//  2. Nothing is allocated except for the growth of the text.
class RespWriter {
 public:
  RespWriter(RespVersion version, std::string& out) : version_(version), out_(&out) {}

  void Simple(std::string_view text);
  // Appends "-CODE text". REQUIRES: the code is a word in capitals such as "ERR".
  void Error(std::string_view code, std::string_view text);
  void Integer(std::int64_t value);
  void Bulk(std::string_view text);
  void Null();
  void Boolean(bool value);

  // Appends an array of integers. REQUIRES: values.size() <= 8.
  void Integers(std::span<const std::int64_t> values);

  void ArrayHeader(std::size_t elements);
  void MapHeader(std::size_t pairs);
  void SetHeader(std::size_t elements);

 private:
  void NumberLine(char type, std::int64_t value);
  void Line(std::string_view text);

  RespVersion version_;
  std::string* out_;
};

}  // namespace sluice
