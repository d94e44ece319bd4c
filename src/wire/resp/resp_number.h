// RESP numbers: the text between a type byte and the end of its line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/ascii.h"
#include "wire/read_state.h"

namespace sluice {

// A number and the end of its line, if it is complete.
struct RespNumber {
  ReadState state = ReadState::kFault;
  std::int64_t value = 0;
  std::size_t end = 0;  // after CR LF
};

// Reads the number that begins at `begin`, up to its CR LF. As in Redis, each 64-bit number has
// exactly one text: no plus, no leading zeros, no "-0". A text that cannot become a number is an
// error at once. A line is therefore at most 22 bytes long, and rereading it for every part that
// arrives is cheap. REQUIRES: begin <= text.size().
inline RespNumber ReadRespNumber(std::string_view text, std::size_t begin) {
  constexpr std::size_t kMaxDigits = 19;  // digits of 2^63; every 19-digit number fits 64 bits
  const bool is_negative = begin < text.size() && text[begin] == '-';
  const std::size_t first = begin + (is_negative ? 1 : 0);
  std::uint64_t magnitude = 0;
  std::size_t at = first;
  for (; at < text.size() && IsDigit(text[at]); ++at) {
    if (at - first == kMaxDigits) return {};
    magnitude = magnitude * 10 + static_cast<std::uint64_t>(text[at] - '0');
  }
  const std::size_t digits = at - first;
  if (digits > 1 && text[first] == '0') return {};
  if (at == text.size()) return {ReadState::kMore};
  if (digits == 0 || text[at] != '\r' || (is_negative && magnitude == 0)) return {};
  if (magnitude > std::uint64_t{INT64_MAX} + (is_negative ? 1 : 0)) return {};
  if (at + 1 == text.size()) return {ReadState::kMore};
  if (text[at + 1] != '\n') return {};
  const std::uint64_t bits = is_negative ? std::uint64_t{0} - magnitude : magnitude;
  return {ReadState::kWhole, static_cast<std::int64_t>(bits), at + 2};
}

}  // namespace sluice
