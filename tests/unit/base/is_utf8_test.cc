#include <gtest/gtest.h>

#include <string>

#include "base/utf8.h"

namespace sluice {
namespace {

// A reference implementation that decodes the text into code points and checks their ranges.
bool IsUtf8ByDecoding(const std::string& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = byte(at) < 0x80          ? 1
                             : (byte(at) >> 5U) == 6  ? 2
                             : (byte(at) >> 4U) == 14 ? 3
                             : (byte(at) >> 3U) == 30 ? 4
                                                      : 0;
    if (size == 0 || at + size > text.size()) return false;
    std::uint32_t code = size == 1 ? byte(at) : byte(at) & (0xFFU >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
      if ((byte(at + i) >> 6U) != 2) return false;
      code = (code << 6U) | (byte(at + i) & 0x3FU);
    }
    const std::uint32_t min[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < min[size] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
    at += size;
  }
  return true;
}

TEST(WireUtf8Test, AgreesWithDecodingForEveryPairOfBytes) {
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      const std::string pair{static_cast<char>(first), static_cast<char>(second)};
      for (const std::string& text :
           {pair, pair + "\x80", pair + "\x80\x80", pair + "12345678", "1234567" + pair,
            "123456" + pair + "\x80", "12345678" + pair + "\xBF\xBF" + "12345678"}) {
        ASSERT_EQ(IsUtf8(text), IsUtf8ByDecoding(text)) << first << " " << second;
      }
    }
  }
}

TEST(WireUtf8Test, FindsBadByteAtEveryPosition) {
  for (std::size_t size = 1; size < 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      EXPECT_TRUE(IsUtf8(text));
      text[at] = '\xFF';
      EXPECT_FALSE(IsUtf8(text)) << size << " " << at;
    }
  }
  EXPECT_TRUE(IsUtf8(""));
}

}  // namespace
}  // namespace sluice
