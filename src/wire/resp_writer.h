// RespWriter: replies, and commands, of RESP2 and RESP3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sluice {

enum class RespVersion : std::uint8_t { k2, k3 };

// Appends replies to a text. A header of an array, map or set says how many replies follow and
// belong to it; whoever writes it writes them. What only RESP3 has becomes in RESP2 what redis
// makes of it: a map an array of twice the size, a set an array, a boolean 0 or 1.
//
// Thread safety: none. Refers to the text, which is valid after every call.
//
// Invariants:
//  1. Whatever the texts are, a client that reads by the protocol reads exactly the replies that
//     were written: those of lines (simple, error) lose their control bytes to spaces.
//  2. Nothing is allocated but what the text takes.
class RespWriter {
 public:
  RespWriter(RespVersion version, std::string& out) : version_(version), out_(&out) {}

  void Simple(std::string_view text);
  // "-CODE text". REQUIRES: the code is a word in capitals, as "ERR" is.
  void Error(std::string_view code, std::string_view text);
  void Integer(std::int64_t value);
  void Bulk(std::string_view text);
  void Null();
  void Boolean(bool value);

  // An array of integers. REQUIRES: at most 8.
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
