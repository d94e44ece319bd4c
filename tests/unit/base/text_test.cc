#include "base/text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace sluice {
namespace {

TEST(TextTest, JoinsTextsAndNumbers) {
  const std::string text = "b";
  EXPECT_EQ(Concat("a", text, std::string_view("c"), std::int64_t{-1}, 2U), "abc-12");
  EXPECT_EQ(Concat(), "");
}

TEST(TextTest, EscapesControlCharacters) {
  EXPECT_EQ(Printable("a\nb\x1b\x7f\xC2\x9B grün"), "a\\x0ab\\x1b\\x7f\\xc2\\x9b grün");
  EXPECT_EQ(Printable("\xC2\xA0\xC2"), "\xC2\xA0\\xc2");
}

TEST(TextTest, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(Printable("a\xFF\n"), "a\\xff\\x0a");
  EXPECT_EQ(ToUtf8("grün\n"), "grün\n");
  EXPECT_EQ(ToUtf8("a\xFF\xC3\n\xC3\xA4\xE2\x82"), "a\\xff\\xc3\n\xC3\xA4\\xe2\\x82");
}

TEST(TextTest, QuotesAndCutsUntrustedText) {
  EXPECT_EQ(Quoted("a\nb\x1b\x7f"), "'a\\x0ab\\x1b\\x7f'");
  EXPECT_EQ(Quoted(std::string(81, 'x')), "'" + std::string(80, 'x') + "...'");
  // The text is cut before the character that does not fit, not inside it.
  EXPECT_EQ(Quoted(Concat(std::string(79, 'x'), "\xC3\xA4\xC3\xA4")),
            Concat("'", std::string(79, 'x'), "...'"));
}

// U+009B alone starts a terminal command, as ESC [ does.
TEST(TextTest, EscapesC1ControlCharacters) {
  EXPECT_EQ(Quoted("a\xC2\x9B"
                   "2Jb\xC2\x80\xC2\x9F"),
            "'a\\xc2\\x9b2Jb\\xc2\\x80\\xc2\\x9f'");
  EXPECT_EQ(Quoted("\xC2\xA0\xC3\x85\xE0\xA2\x80"), "'\xC2\xA0\xC3\x85\xE0\xA2\x80'");
  EXPECT_EQ(Quoted("\xC2"), "'\\xc2'");
}

}  // namespace
}  // namespace sluice
