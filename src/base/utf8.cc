#include "base/utf8.h"

namespace sluice {
namespace {

// The meaning of a first byte: the size of the character (0 if no character begins with it) and the
// range of its second byte, which excludes overlong forms, surrogates and everything above
// U+10FFFF.
struct Lead {
  std::size_t size = 0;
  unsigned char min_second = 0x80;
  unsigned char max_second = 0xBF;
};

Lead LeadOf(unsigned char byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xC2) return {0};
  if (byte < 0xE0) return {2};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0};
}

char Continuation(std::uint32_t bits) { return static_cast<char>(0x80U | (bits & 0x3FU)); }

}  // namespace

std::size_t Utf8SizeAt(std::string_view text) {
  const Lead lead = LeadOf(static_cast<unsigned char>(text.front()));
  if (lead.size <= 1) return lead.size;
  if (text.size() < lead.size) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  if (second < lead.min_second || second > lead.max_second) return 0;
  for (std::size_t i = 2; i < lead.size; ++i) {
    if (!IsUtf8Continuation(text[i])) return 0;
  }
  return lead.size;
}

bool IsUtf8Slowly(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = Utf8SizeAt(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

void AppendUtf8(std::uint32_t code_point, std::string& out) {
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0U | (code_point >> 6U));
    out += Continuation(code_point);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0U | (code_point >> 12U));
    out += Continuation(code_point >> 6U);
    out += Continuation(code_point);
  } else {
    out += static_cast<char>(0xF0U | (code_point >> 18U));
    out += Continuation(code_point >> 12U);
    out += Continuation(code_point >> 6U);
    out += Continuation(code_point);
  }
}

}  // namespace sluice
