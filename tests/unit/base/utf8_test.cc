#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice {
namespace {

// A reference implementation of Utf8SizeAt that decodes the character and checks its range.
std::size_t SizeByDecoding(const std::string& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t size = byte(0) < 0x80          ? 1
                           : (byte(0) >> 5U) == 6  ? 2
                           : (byte(0) >> 4U) == 14 ? 3
                           : (byte(0) >> 3U) == 30 ? 4
                                                   : 0;
  if (size == 0 || size > text.size()) return 0;
  std::uint32_t code = size == 1 ? byte(0) : byte(0) & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) >> 6U) != 2) return 0;
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  const std::uint32_t min[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < min[size] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return 0;
  return size;
}

TEST(Utf8Test, AgreesWithDecodingForEveryFirstPairOfBytes) {
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      std::string text = {static_cast<char>(first), static_cast<char>(second)};
      EXPECT_EQ(Utf8SizeAt(text), SizeByDecoding(text)) << first << " " << second;
      text += "\x80\xBF";
      EXPECT_EQ(Utf8SizeAt(text), SizeByDecoding(text)) << first << " " << second;
      text[2] = 'x';
      EXPECT_EQ(Utf8SizeAt(text), SizeByDecoding(text)) << first << " " << second;
    }
  }
}

TEST(Utf8Test, WritesEveryCharacterAsValidUtf8) {
  for (std::uint32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    AppendUtf8(code, text);
    ASSERT_EQ(Utf8SizeAt(text), text.size()) << code;
  }
  std::string text;
  AppendUtf8(0x1F600, text);
  EXPECT_EQ(text, "\xF0\x9F\x98\x80");
}

}  // namespace
}  // namespace sluice
