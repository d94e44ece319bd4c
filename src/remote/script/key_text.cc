#include "remote/script/key_text.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>

namespace sluice {
namespace {

// Times in Redis are limited to 2^53 microseconds (the year 2255).
constexpr std::int64_t kMaxMillis = (std::int64_t{1} << 53U) / 1000;

}  // namespace

bool KeyText::HasBeside(std::string_view other) const {
  std::string_view rest = beside;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view each = rest.substr(0, rest.find(' '));
    if (each == other) return true;
    rest.remove_prefix(each.size());
  }
  return false;
}

KeyText ReadKeyText(std::string_view text) {
  KeyText read;
  const std::size_t end = std::min(text.find('|'), text.size());
  read.state = text.substr(0, end);
  read.tag = read.state.substr(0, read.state.find(' '));
  std::string_view more = text.substr(end);
  if (more.empty()) return read;
  more.remove_prefix(1);
  std::int64_t millis = 0;
  const auto read_to = std::from_chars(more.data(), more.data() + more.size(), millis);
  if (read_to.ec == std::errc{} && millis >= 0 && millis <= kMaxMillis) {
    read.kept_until = Time{std::chrono::milliseconds{millis}};
  }
  const std::size_t space = more.find(' ');
  if (space != std::string_view::npos) read.beside = more.substr(space);
  return read;
}

}  // namespace sluice
