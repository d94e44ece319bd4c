#include "gate/verdict.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "unit/gate/gate_fixture.h"

namespace sluice::testing {
namespace {

using namespace std::chrono_literals;

// Each test has three limits, with the decisive one in the middle.
class VerdictTest : public GateFixture {
 protected:
  static RuleSpec Queue(const std::string& name, Nanos turn) {
    LimitSpec spec;
    spec.algorithm = Algorithm::kLeakyBucket;
    spec.rate = Rate{1, turn};
    spec.burst = Fraction{10};
    return Rule(name, LimitOf(spec));
  }
};

TEST_F(VerdictTest, WaitsForTheLongestQueue) {
  Use({Queue("short", 1s), Queue("long", 5s), Queue("middle", 2s)});
  EXPECT_EQ(Check().wait(), 0s);
  EXPECT_EQ(Check().wait(), 5s);
}

TEST_F(VerdictTest, HasNoWaitIfRefused) {
  Use({Queue("short", 1s), Rule("few", "1/h"), Queue("middle", 2s)});
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(Check().kind(), VerdictKind::kRefused);
  EXPECT_EQ(verdict_.wait(), 0s);
  EXPECT_EQ(verdict_.retry_after(), 1h);
}

TEST_F(VerdictTest, RefusesForAsLongAsTheSlowestEnforcedLimit) {
  Use({Rule("a", "1/m"), Rule("b", "1/h"), Rule("c", "1/s")});
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(Check().retry_after(), 1h);
  EXPECT_EQ(verdict_.nearest()->limit->rule, "b");
}

TEST_F(VerdictTest, NamesTheFirstOfTheQuotaLimitsThatPasses) {
  std::vector<DescriptorSpec> descriptors;
  for (const char* rate : {"1/h", "1/m", "1/d"}) {
    descriptors.push_back(Descriptor(rate, rate));
    descriptors.back().quota_mode = true;
  }
  Use({}, descriptors);
  const std::vector<Attribute> hour{{"1/h", ""}};
  const std::vector<Attribute> minute{{"1/m", ""}};
  const std::vector<Attribute> day{{"1/d", ""}};
  const std::vector<AttributeSet> sets{{hour, Cost{1}}, {minute, Cost{1}}, {day, Cost{1}}};
  session_.Decide({"api", sets}, verdict_);
  EXPECT_TRUE(verdict_.allowed());
  session_.Decide({"api", sets}, verdict_);
  EXPECT_EQ(verdict_.kind(), VerdictKind::kRefused);
  EXPECT_EQ(verdict_.retry_after(), 1min);
}

}  // namespace
}  // namespace sluice::testing
