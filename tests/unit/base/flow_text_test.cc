#include "base/flow_text.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

Value Text(const char* text) { return Value::String(text); }

TEST(FlowTextTest, QuotesStringsOnlyIfNecessary) {
  EXPECT_EQ(FlowText(Text("/v1/follow/*")), "/v1/follow/*");
  EXPECT_EQ(FlowText(Text("grün")), "grün");
  EXPECT_EQ(FlowText(Text("a b")), "\"a b\"");
  EXPECT_EQ(FlowText(Text("a\"\\")), R"("a\"\\")");
  EXPECT_EQ(FlowText(Text("")), "\"\"");
}

TEST(FlowTextTest, QuotesStringsThatLookLikeOtherValues) {
  for (const char* text : {"5", "-1.5e3", "true", "false", "null"}) {
    EXPECT_EQ(FlowText(Text(text)), std::string("\"") + text + "\"");
  }
  EXPECT_EQ(FlowText(Value::Number("5")), "5");
  EXPECT_EQ(FlowText(Value::Boolean(true)), "true");
  EXPECT_EQ(FlowText(Value()), "null");
}

TEST(FlowTextTest, NestsListsAndMappings) {
  const Value list = Value::MakeList({Text("a"), Value::MakeList({})});
  EXPECT_EQ(FlowText(Value::MakeMap({{"x", {}, list}, {"y z", {}, Value::Boolean(false)}})),
            "{x: [a, []], \"y z\": false}");
}

}  // namespace
}  // namespace sluice
