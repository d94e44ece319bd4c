#include "wire/utf8.h"

namespace sluice {
namespace {

// What the first byte says: how many follow, and the range of the second, which is what rules out
// overlong forms, surrogates and what lies above U+10FFFF.
struct Lead {
  std::size_t more = 0;
  unsigned char second_least = 0x80;
  unsigned char second_most = 0xBF;
};

constexpr std::size_t kNoLead = 4;

Lead LeadOf(unsigned char byte) {
  if (byte < 0x80) return {0};
  if (byte < 0xC2) return {kNoLead};
  if (byte < 0xE0) return {1};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};
  if (byte == 0xED) return {2, 0x80, 0x9F};
  if (byte < 0xF0) return {2};
  if (byte == 0xF0) return {3, 0x90, 0xBF};
  if (byte < 0xF4) return {3};
  if (byte == 0xF4) return {3, 0x80, 0x8F};
  return {kNoLead};
}

}  // namespace

bool IsUtf8Slowly(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Lead lead = LeadOf(static_cast<unsigned char>(text[at++]));
    if (lead.more == 0) continue;
    if (lead.more == kNoLead || text.size() - at < lead.more) return false;
    const auto second = static_cast<unsigned char>(text[at]);
    if (second < lead.second_least || second > lead.second_most) return false;
    for (std::size_t i = 1; i < lead.more; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      if (next < 0x80 || next > 0xBF) return false;
    }
    at += lead.more;
  }
  return true;
}

}  // namespace sluice
