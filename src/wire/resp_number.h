// Numbers of RESP: what stands between a type byte and the end of its line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/ascii.h"
#include "wire/read_state.h"

namespace sluice {

// A number and where its line ends, if it is whole.
struct RespNumber {
  ReadState state = ReadState::kFault;
  std::int64_t value = 0;
  std::size_t end = 0;  // after CR LF
};

// Reads the number that begins at `begin`, with its CR LF. As in redis there is one text for each
// number of 64 bits: no plus, no leading zeros, no "-0". A text that cannot become a number is a
// fault at once, so no line is ever longer than 22 bytes and reading one again for every part of
// it that arrives costs little. REQUIRES: begin <= text.size().
inline RespNumber ReadRespNumber(std::string_view text, std::size_t begin) {
  constexpr std::size_t kDigitsMost = 19;  // of 2^63, and all numbers of 19 digits fit 64 bits
  const bool is_negative = begin < text.size() && text[begin] == '-';
  const std::size_t first = begin + (is_negative ? 1 : 0);
  std::uint64_t magnitude = 0;
  std::size_t at = first;
  for (; at < text.size() && IsDigit(text[at]); ++at) {
    if (at - first == kDigitsMost) return {};
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
