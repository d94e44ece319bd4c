#include "gate/policy_name.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sluice {
namespace {

constexpr std::size_t kRuleBytesMost = 64;
constexpr std::size_t kLimitBytesMost = 32;

// How one piece of a name is written.
struct Spelling {
  std::string_view percent;    // what becomes %xx beside what is not printable
  std::string_view backslash;  // what has a backslash before it
  std::size_t bytes_most = 0;
};

void AppendPercent(char c, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 15U];
}

// Bytes that are written as they are, however a piece is spelled.
constexpr bool IsPlain(char c) {
  return c >= ' ' && c <= '~' && c != '%' && c != '/' && c != '"' && c != '\\';
}

void AppendPiece(std::string_view text, const Spelling& spelling, std::string& out) {
  // Almost all names are as they are written, and every reply has some.
  if (text.size() <= spelling.bytes_most && std::ranges::all_of(text, IsPlain)) {
    out += text;
    return;
  }
  std::size_t left = spelling.bytes_most;
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && spelling.percent.find(c) == std::string_view::npos;
    const bool escaped = plain && spelling.backslash.find(c) != std::string_view::npos;
    const std::size_t size = !plain ? 3 : escaped ? 2 : 1;
    if (size > left) return;
    left -= size;
    if (!plain) {
      AppendPercent(c, out);
      continue;
    }
    if (escaped) out += '\\';
    out += c;
  }
}

}  // namespace

void AppendPolicyName(const RuleLimit& limit, std::string& out) {
  constexpr std::string_view kBackslash = "\"\\";
  out += '"';
  AppendPiece(limit.rule, {"%", kBackslash, kRuleBytesMost}, out);
  if (!limit.name.empty()) {
    out += '/';
    AppendPiece(limit.name, {"%/", kBackslash, kLimitBytesMost}, out);
  }
  out += '"';
}

void AppendHeaderText(std::string_view name, std::string& out) {
  AppendPiece(name, {"%", "", kRuleBytesMost}, out);
}

}  // namespace sluice
