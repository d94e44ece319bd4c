#include "frontend/resp/resp_check.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "unit/frontend/resp/resp_fixture.h"

namespace sluice::testing {
namespace {

class RespCheckTest : public RespFixture {
 protected:
  void UsePosts() {
    RuleSpec posts = Rule("posts", "2/m");
    posts.per = {{{"user"}, {}}};
    Use({posts});
  }
};

TEST_F(RespCheckTest, ReportsLimitNearestToRefusal) {
  UsePosts();
  EXPECT_EQ(Say("SLUICE.CHECK api user 42"), "*7|:1|:2|:1|:0|:30000|$5|posts|:0|");
  EXPECT_EQ(Say("sluice.check api user 42"), "*7|:1|:2|:0|:0|:60000|$5|posts|:0|");
  EXPECT_EQ(Say("SLUICE.CHECK api user 42"), "*7|:0|:2|:0|:30000|:60000|$5|posts|:0|");
  EXPECT_EQ(Say("SLUICE.CHECK api user 43"), "*7|:1|:2|:1|:0|:30000|$5|posts|:0|");
}

TEST_F(RespCheckTest, RepliesWithMapInResp3) {
  UsePosts();
  Say("HELLO 3");
  EXPECT_EQ(Say("SLUICE.CHECK api user 42"),
            "%7|$7|allowed|:1|$5|limit|:2|$9|remaining|:1|$14|retry_after_ms|:0|"
            "$14|reset_after_ms|:30000|$4|rule|$5|posts|$7|wait_ms|:0|");
}

TEST_F(RespCheckTest, ReadsOptionsBeforeAttributes) {
  UsePosts();
  EXPECT_EQ(Say("SLUICE.CHECK api COST 2 PEEK user 42"), "*7|:1|:2|:2|:0|:0|$5|posts|:0|");
  EXPECT_EQ(Say("SLUICE.CHECK api peek cost 3 user 42"), "*7|:0|:2|:2|:-1|:0|$5|posts|:0|");
  EXPECT_EQ(Say("SLUICE.CHECK api cost 2 user 42"), "*7|:1|:2|:0|:0|:60000|$5|posts|:0|");
  // An attribute may have the name of an option.
  EXPECT_EQ(Say("SLUICE.CHECK api user 44 cost 2"), "*7|:1|:2|:1|:0|:30000|$5|posts|:0|");
}

TEST_F(RespCheckTest, ReportsNoNumbersWithoutLimit) {
  UsePosts();
  EXPECT_EQ(Say("SLUICE.CHECK api"), "*7|:1|:-1|:-1|:0|:0|$-1|:0|");
  Use({Deny("closed")});
  EXPECT_EQ(Say("SLUICE.CHECK api"), "*7|:0|:-1|:-1|:-1|:0|$6|closed|:0|");
}

TEST_F(RespCheckTest, ReportsWait) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kLeakyBucket;
  spec.rate = Rate{10, std::chrono::seconds(1)};
  Use({Rule("slow", LimitOf(spec))});
  Say("SLUICE.CHECK api");
  EXPECT_TRUE(Say("SLUICE.CHECK api").ends_with("$4|slow|:100|"));
}

TEST_F(RespCheckTest, RejectsInvalidCommands) {
  UsePosts();
  EXPECT_EQ(Say("SLUICE.CHECK other user 42"), "-ERR unknown domain 'other'|");
  EXPECT_EQ(Say("SLUICE.CHECK"), "-ERR wrong number of arguments for 'sluice.check' command|");
  EXPECT_EQ(Say("SLUICE.CHECK api user"),
            "-ERR wrong number of arguments for 'sluice.check' command|");
  EXPECT_EQ(Say("SLUICE.CHECK api user 42 path"),
            "-ERR wrong number of arguments for 'sluice.check' command|");
  for (const std::string cost : {"-1", "x", "1000000000000000001"}) {
    EXPECT_EQ(Say("SLUICE.CHECK api COST " + cost + " user 42"),
              "-ERR value is not an integer or out of range|");
  }
}

}  // namespace
}  // namespace sluice::testing
