#include "console/json_text.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

TEST(JsonTextTest, WritesEveryKindOfValue) {
  const Value list = Value::MakeList({Value::String("a\"\n"), Value::Number("2.5"), Value()});
  const Value map = Value::MakeMap(
      {{"k", {}, list}, {"e", {}, Value::MakeList({})}, {"b", {}, Value::Boolean(true)}});
  EXPECT_EQ(JsonText(map), R"({"k":["a\"\u000a",2.5,null],"e":[],"b":true})");
  EXPECT_EQ(JsonText(Value::MakeMap({})), "{}");
}

}  // namespace
}  // namespace sluice::cli
