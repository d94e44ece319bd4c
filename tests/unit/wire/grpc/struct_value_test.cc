#include "wire/grpc/struct_value.h"

#include <gtest/gtest.h>

#include <string>

#include "protobuf_message.h"

namespace sluice {
namespace {

using Object = StructValue::Object;
using List = StructValue::List;

using Value = StructValue;

std::string TextOf(const Object& object) {
  std::string out;
  AppendStruct(object, out);
  return testing::TextOf("google.protobuf.Struct", out);
}

TEST(StructValueTest, WritesEveryKindOfValue) {
  const auto field = [](const std::string& value) {
    return "fields { key: \"k\" value { " + value + " } }";
  };
  EXPECT_EQ(TextOf({}), "");
  EXPECT_EQ(TextOf({{"k", Value()}}), field("null_value: NULL_VALUE"));
  EXPECT_EQ(TextOf({{"k", Value(1.5)}}), field("number_value: 1.5"));
  EXPECT_EQ(TextOf({{"k", Value(0.0)}}), field("number_value: 0"));
  EXPECT_EQ(TextOf({{"k", Value(std::string_view("é"))}}), field("string_value: \"é\""));
  EXPECT_EQ(TextOf({{"k", Value(std::string_view(""))}}), field("string_value: \"\""));
  EXPECT_EQ(TextOf({{"k", Value(true)}}), field("bool_value: true"));
  EXPECT_EQ(TextOf({{"k", Value(false)}}), field("bool_value: false"));
  EXPECT_EQ(TextOf({{"k", Value(Object{})}}), field("struct_value { }"));
  EXPECT_EQ(TextOf({{"k", Value(List{})}}), field("list_value { }"));
  EXPECT_EQ(TextOf({{"k", Value(List{Value(1.0), Value(Object{{"x", Value(true)}})})}}),
            field("list_value { values { number_value: 1 } values { struct_value { fields { "
                  "key: \"x\" value { bool_value: true } } } } }"));
}

TEST(StructValueTest, WritesLongValues) {
  const std::string text(300, 't');
  EXPECT_EQ(TextOf({{"k", Value(Object{{"x", Value(std::string_view(text))}})}}),
            "fields { key: \"k\" value { struct_value { fields { key: \"x\" value { "
            "string_value: \"" +
                text + "\" } } } } }");
}

}  // namespace
}  // namespace sluice
