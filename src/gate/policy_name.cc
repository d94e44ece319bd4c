#include "gate/policy_name.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sluice {
namespace {

constexpr std::size_t kMaxRuleBytes = 64;
constexpr std::size_t kMaxLimitBytes = 32;

// How one piece of a name is escaped.
struct Spelling {
  std::string_view percent;    // written as %xx, in addition to bytes that are not printable
  std::string_view backslash;  // written with a backslash before it
  std::size_t max_bytes = 0;
};

void AppendPercent(char c, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 15U];
}

// Whether a byte is written as it is in every spelling.
constexpr bool IsPlain(char c) {
  return c >= ' ' && c <= '~' && c != '%' && c != '/' && c != '"' && c != '\\';
}

void AppendPiece(std::string_view text, const Spelling& spelling, std::string& out) {
  // The fast path: almost all names need no escapes, and every reply has some.
  if (text.size() <= spelling.max_bytes && std::ranges::all_of(text, IsPlain)) {
    out += text;
    return;
  }
  std::size_t left = spelling.max_bytes;
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
  AppendPiece(limit.rule, {"%", kBackslash, kMaxRuleBytes}, out);
  if (!limit.name.empty()) {
    out += '/';
    AppendPiece(limit.name, {"%/", kBackslash, kMaxLimitBytes}, out);
  }
  out += '"';
}

void AppendHeaderText(std::string_view name, std::string& out) {
  AppendPiece(name, {"%", "", kMaxRuleBytes}, out);
}

}  // namespace sluice
