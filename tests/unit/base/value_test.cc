#include "base/value.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice {
namespace {

TEST(ValueTest, ReturnsNullForOtherTypes) {
  const Value text = Value::String("20");
  ASSERT_NE(text.AsString(), nullptr);
  EXPECT_EQ(*text.AsString(), "20");
  EXPECT_EQ(text.AsNumber(), nullptr);
  EXPECT_EQ(text.AsBoolean(), nullptr);
  EXPECT_EQ(text.AsList(), nullptr);
  EXPECT_EQ(text.AsMap(), nullptr);
  EXPECT_FALSE(text.IsNull());
}

TEST(ValueTest, KeepsEveryDigitOfNumber) {
  const Value number = Value::Number("0.10000000000000000000000000000001");
  EXPECT_EQ(*number.AsNumber(), "0.10000000000000000000000000000001");
  EXPECT_EQ(number.AsString(), nullptr);
}

TEST(ValueTest, IsNullByDefault) {
  EXPECT_TRUE(Value().IsNull());
  EXPECT_TRUE(Value(Position{1, 2}).IsNull());
  EXPECT_EQ(Value(Position{1, 2}).At(), (Position{1, 2}));
}

TEST(ValueTest, FindsFirstEntryOfKey) {
  const Value map = Value::MakeMap({{"a", {1, 1}, Value::Number("1")},
                                    {"b", {2, 1}, Value::Number("2")},
                                    {"a", {3, 1}, Value::Number("3")}});
  EXPECT_EQ(*map.Find("a")->AsNumber(), "1");
  EXPECT_EQ(map.Find("c"), nullptr);
  EXPECT_EQ(Value::String("a").Find("a"), nullptr);
}

TEST(ValueTest, DescribesTypeAndText) {
  EXPECT_EQ(Value().Description(), "null");
  EXPECT_EQ(Value::Boolean(true).Description(), "true");
  EXPECT_EQ(Value::Boolean(false).Description(), "false");
  EXPECT_EQ(Value::Number("1e3").Description(), "the number 1e3");
  EXPECT_EQ(Value::String("a b").Description(), "the string 'a b'");
  EXPECT_EQ(Value::MakeList({}).Description(), "a list");
  EXPECT_EQ(Value::MakeMap({}).Description(), "a mapping");
}

TEST(ValueTest, DescribesErrorWithKnownPartsOfPosition) {
  EXPECT_EQ(Describe("a.yaml", {{14, 7}, "oops"}), "a.yaml:14:7: oops");
  EXPECT_EQ(Describe("a.yaml", {{14, 0}, "oops"}), "a.yaml:14: oops");
  EXPECT_EQ(Describe("a.yaml", {{}, "oops"}), "a.yaml: oops");
  EXPECT_EQ(Describe("", {{14, 7}, "oops"}), "14:7: oops");
  EXPECT_EQ(Describe("", {{}, "oops"}), "oops");
}

}  // namespace
}  // namespace sluice
