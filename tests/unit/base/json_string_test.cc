#include "base/json_string.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice {
namespace {

std::string Json(std::string_view text) {
  std::string out;
  AppendJsonString(text, out);
  return out;
}

TEST(JsonStringTest, EscapesReservedCharacters) {
  EXPECT_EQ(Json(""), R"("")");
  EXPECT_EQ(Json(R"(a "b" \c)"), R"("a \"b\" \\c")");
  EXPECT_EQ(Json(std::string_view("\0\n\x1f", 3)), R"("\u0000\u000a\u001f")");
}

TEST(JsonStringTest, KeepsUtf8Characters) {
  EXPECT_EQ(Json("größe \xF0\x9F\x9A\xA6\x7F"), "\"größe \xF0\x9F\x9A\xA6\x7F\"");
}

TEST(JsonStringTest, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(Json("a\xFF\"b"), "\"a\xEF\xBF\xBD\\\"b\"");
  EXPECT_EQ(Json("\xC3"), "\"\xEF\xBF\xBD\"");                                  // cut off
  EXPECT_EQ(Json("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // a surrogate
}

}  // namespace
}  // namespace sluice
