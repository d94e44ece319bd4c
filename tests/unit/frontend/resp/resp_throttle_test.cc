// CL.THROTTLE: the sequences that the test suites of redis-cell, redis and Dragonfly share.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "unit/frontend/resp/resp_fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class RespThrottleTest : public RespFixture {
 protected:
  // Runs a command at a time since the start of the test.
  std::string At(milliseconds time, std::int64_t units) {
    clock_.Set(kStart + time);
    return Throttle(Concat("k 4 60 60 ", units));
  }
};

// The bucket has five units and refills one per second: limited, limit, remaining, retry_after,
// reset_after.
TEST_F(RespThrottleTest, MatchesThrottledBucket) {
  EXPECT_EQ(At(milliseconds(0), 6), "1 5 5 -1 0");
  EXPECT_EQ(At(milliseconds(0), 1), "0 5 4 -1 1");
  EXPECT_EQ(At(milliseconds(0), 1), "0 5 3 -1 2");
  EXPECT_EQ(At(milliseconds(0), 1), "0 5 2 -1 3");
  EXPECT_EQ(At(milliseconds(0), 1), "0 5 1 -1 4");
  EXPECT_EQ(At(milliseconds(0), 1), "0 5 0 -1 5");
  EXPECT_EQ(At(milliseconds(0), 1), "1 5 0 1 5");
  EXPECT_EQ(At(milliseconds(3000), 1), "0 5 2 -1 3");
  EXPECT_EQ(At(milliseconds(3100), 1), "0 5 1 -1 4");  // 3.9 s
  EXPECT_EQ(At(milliseconds(4000), 1), "0 5 1 -1 4");
  EXPECT_EQ(At(milliseconds(8000), 1), "0 5 4 -1 1");
  EXPECT_EQ(At(milliseconds(9500), 1), "0 5 4 -1 1");
  EXPECT_EQ(At(milliseconds(9500), 0), "0 5 4 -1 1");
  EXPECT_EQ(At(milliseconds(9500), 2), "0 5 2 -1 3");
  EXPECT_EQ(At(milliseconds(9500), 5), "1 5 2 3 3");
  EXPECT_EQ(At(milliseconds(15'000), 6), "1 5 5 -1 0");
}

TEST_F(RespThrottleTest, MatchesRepliesOfRedisCell) {
  EXPECT_EQ(Throttle("k 0 1 2"), "0 1 0 -1 2");
  EXPECT_EQ(Throttle("k 0 1 2"), "1 1 0 2 2");
  clock_.Advance(seconds(2));
  EXPECT_EQ(Throttle("k 0 1 2"), "0 1 0 -1 2");
  EXPECT_EQ(Throttle("user123 15 30 60"), "0 16 15 -1 2");
  EXPECT_EQ(Say("cl.throttle other 15 30 60 1"), "*5|:0|:16|:15|:-1|:2|");
}

TEST_F(RespThrottleTest, MatchesBucketOfRedis) {
  for (int i = 0; i < 6; ++i) EXPECT_EQ(Throttle("a 5 1 60")[0], '0');
  EXPECT_EQ(Throttle("a 5 1 60"), "1 6 0 60 360");
  EXPECT_EQ(Throttle("b 5 1 60 3"), "0 6 3 -1 180");
  for (int i = 0; i < 2; ++i) Throttle("c 5 1 60");
  EXPECT_EQ(Throttle("c 5 1 60"), "0 6 3 -1 180");
  Throttle("d 5 1 60");
  EXPECT_EQ(Throttle("d 5 1 60 4"), "0 6 1 -1 300");
}

TEST_F(RespThrottleTest, LimitsIntervalsBelowAMillisecond) {
  EXPECT_EQ(Throttle("k 1 10000 1"), "0 2 1 -1 1");
  EXPECT_EQ(Throttle("k 1 10000 1"), "0 2 0 -1 1");
  EXPECT_EQ(Throttle("k 1 10000 1"), "1 2 0 1 1");
  clock_.Advance(std::chrono::microseconds(100));
  EXPECT_EQ(Throttle("k 1 10000 1"), "0 2 0 -1 1");
}

TEST_F(RespThrottleTest, MatchesBucketOfDragonfly) {
  EXPECT_EQ(Throttle("k 4 500000 1 2"), "0 5 3 -1 1");
}

TEST_F(RespThrottleTest, KeepsWholeSecondsExactForAnyCount) {
  for (const int count : {3, 7, 30, 49, 81, 250}) {
    const std::string said = Throttle(Concat("k", count, " ", count - 1, " ", count, " 1 ", count));
    EXPECT_EQ(said, Concat("0 ", count, " 0 -1 1"));
  }
}

TEST_F(RespThrottleTest, RejectsNumbersThatMakeNoLimit) {
  EXPECT_EQ(Throttle("k -1 1 1"), "-ERR max_burst is negative; expected 0 or more|");
  EXPECT_EQ(Throttle("k 9223372036854775807 1 1"), "-ERR max_burst is too large|");
  EXPECT_EQ(Throttle("k 1 0 1"), "-ERR count is not above 0; expected 1 or more|");
  EXPECT_EQ(Throttle("k 1 -5 1"), "-ERR count is not above 0; expected 1 or more|");
  EXPECT_EQ(Throttle("k 1 1 0"), "-ERR period is not above 0; expected 1 second or more|");
  EXPECT_EQ(Throttle("k 1 1 -1"), "-ERR period is not above 0; expected 1 second or more|");
  EXPECT_EQ(Throttle("k 1 1 1 -1"), "-ERR quantity is negative; expected 0 or more|");
  for (const std::string_view overflow :
       {"k 200000000 1 86400", "k 1 1 9223372036854775807", "k 1 9223372036854775807 1",
        "k 9223372036854775806 1 1", "k 1 1 31536000"}) {
    EXPECT_TRUE(Throttle(overflow).starts_with("-ERR ")) << overflow;
  }
  for (const std::string_view no_number :
       {"k x 1 1", "k 1 1.5 1", "k 1 1 1s", "k 1 1 1 +1", "k 1 1 9223372036854775808"}) {
    EXPECT_EQ(Throttle(no_number), "-ERR value is not an integer or out of range|") << no_number;
  }
  EXPECT_EQ(Throttle("k 1 1"), "-ERR wrong number of arguments for 'cl.throttle' command|");
  EXPECT_EQ(Throttle("k 1 1 1 1 1"), "-ERR wrong number of arguments for 'cl.throttle' command|");
  EXPECT_EQ(store_->StatsApprox().keys, 0U);
}

TEST_F(RespThrottleTest, RefusesLargestCostForever) {
  EXPECT_EQ(Throttle("k 4 60 60 9223372036854775807"), "1 5 5 -1 0");
}

TEST_F(RespThrottleTest, KeepsUsedUnitsUnderOtherTerms) {
  Throttle("k 4 60 60 3");
  EXPECT_EQ(Throttle("k 9 60 60"), "0 10 6 -1 4");
  EXPECT_EQ(Throttle("k 1 30 60"), "1 2 0 2 4");
}

TEST_F(RespThrottleTest, SurvivesFloodOfDifferentTerms) {
  Throttle("mine 4 60 60 5");
  std::string flood;
  for (int i = 1; i <= 100'000; ++i) {
    flood += Command({"CL.THROTTLE", "k", "0", std::to_string(i), "1"});
  }
  Send(flood);
  EXPECT_EQ(Throttle("mine 4 60 60"), "1 5 0 1 5");
  EXPECT_EQ(store_->StatsApprox().keys, 2U);
  Use({Rule("new", "1/s")});
}

// The terms of the first command are evicted by those of the others before it is decided.
TEST_F(RespThrottleTest, KeepsTermsUntilBatchIsDecided) {
  std::string batch = Command({"CL.THROTTLE", "first", "4", "60", "60"});
  for (int i = 1; i < 1000; ++i) {
    batch += Command({"CL.THROTTLE", "k", "0", std::to_string(i), "1", "0"});
  }
  EXPECT_TRUE(Send(batch).starts_with("*5|:0|:5|:4|:-1|:1|*5|:0|:1|:1|:-1|:0|"));
}

TEST_F(RespThrottleTest, AcceptsAnyBytesInKeys) {
  const std::string key("a\r\n:1\r\n\0b", 10);
  const auto throttle = [&](const std::string& name) {
    return Send(Command({"CL.THROTTLE", name, "1", "1", "60"}));
  };
  EXPECT_EQ(throttle(key), "*5|:0|:2|:1|:-1|:60|");
  EXPECT_EQ(throttle(key), "*5|:0|:2|:0|:-1|:120|");
  EXPECT_EQ(throttle(""), "*5|:0|:2|:1|:-1|:60|");
  const std::string huge(900'000, 'x');
  EXPECT_EQ(throttle(huge), "*5|:0|:2|:1|:-1|:60|");
  EXPECT_EQ(throttle(huge + "y"), "*5|:0|:2|:1|:-1|:60|");
  EXPECT_EQ(throttle(huge), "*5|:0|:2|:0|:-1|:120|");
}

TEST_F(RespThrottleTest, ReportsThatRulesAreNotLoaded) {
  Gate gate(*store_, clock_);
  RespFront front({gate, {}, callers_, ids_, "1.2.3", clock_, meter_});
  RespSession resp(front, peer_, {});
  resp.Receive(Command({"CL.THROTTLE", "k", "1", "1", "1"}));
  EXPECT_EQ(resp.output, "-ERR the rules are not loaded yet\r\n");
}

}  // namespace
}  // namespace sluice::testing
