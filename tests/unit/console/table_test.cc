#include "console/table.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

using enum Table::Align;

TEST(TableTest, AlignsColumnsWithoutTrailingSpaces) {
  Table table({{"name"}, {"units", kRight}, {"place"}});
  table.Add({"posts", "2", "a.yaml:1:1"});
  table.Add({"x", "1000000", ""});
  EXPECT_EQ(table.ToText(ColorMode::kPlain),
            "name     units  place\n"
            "posts        2  a.yaml:1:1\n"
            "x      1000000\n");
}

TEST(TableTest, MeasuresWidthInCharacters) {
  Table table({{"name"}, {"units", kRight}});
  table.Add({"grün", "1"});
  table.Add({"gray", "2"});
  EXPECT_EQ(table.ToText(ColorMode::kPlain),
            "name  units\n"
            "grün      1\n"
            "gray      2\n");
}

TEST(TableTest, EscapesControlCharacters) {
  Table table({{"name"}, {"n"}});
  table.Add({"a\n\x1b[31m\xC2\x9B", "1"});
  EXPECT_EQ(table.ToText(ColorMode::kColor),
            "\x1b[1mname                   n\x1b[0m\n"
            "a\\x0a\\x1b[31m\\xc2\\x9b  1\n");
}

TEST(TableTest, PrintsHeaderInBold) {
  const Table table({{"name"}, {"place"}});
  EXPECT_EQ(table.ToText(ColorMode::kColor), "\x1b[1mname  place\x1b[0m\n");
  EXPECT_EQ(table.ToText(ColorMode::kPlain), "name  place\n");
}

TEST(TableTest, PrintsRowWithItsEmphasis) {
  Table table({{"name"}, {"n"}});
  table.Add({"a", "1"}, Emphasis::kDim);
  EXPECT_EQ(table.ToText(ColorMode::kColor), "\x1b[1mname  n\x1b[0m\n\x1b[2ma     1\x1b[0m\n");
  EXPECT_EQ(table.ToText(ColorMode::kPlain), "name  n\na     1\n");
}

}  // namespace
}  // namespace sluice::cli
