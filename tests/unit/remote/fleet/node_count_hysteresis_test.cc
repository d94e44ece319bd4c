#include "remote/fleet/node_count_hysteresis.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class NodeCountHysteresisTest : public ::testing::Test {
 protected:
  std::int64_t HearAfter(Nanos length, std::int64_t count) {
    now_ += length;
    return count_.OnReply(count, now_);
  }

  Time now_{seconds{1000}};
  NodeCountHysteresis count_{{.lasting = seconds{3}, .max_silence = seconds{2}}};
  NodeCountHysteresis started_{{.lasting = seconds{3}, .max_silence = seconds{2}, .at_first = 10}};
};

TEST_F(NodeCountHysteresisTest, RisesAtOnce) {
  EXPECT_EQ(HearAfter(seconds{0}, 1), 1);
  EXPECT_EQ(HearAfter(seconds{1}, 4), 4);
  EXPECT_EQ(HearAfter(seconds{1}, 5), 5);
}

// Invariant (2).
TEST_F(NodeCountHysteresisTest, FallsAfterAWhile) {
  HearAfter(seconds{0}, 4);
  EXPECT_EQ(HearAfter(seconds{1}, 3), 4);
  EXPECT_EQ(HearAfter(seconds{1}, 2), 4);
  EXPECT_EQ(HearAfter(seconds{1}, 2), 4);
  EXPECT_EQ(HearAfter(milliseconds{999}, 2), 4);
  EXPECT_EQ(HearAfter(milliseconds{1}, 2), 3) << "the most that was heard meanwhile";
  EXPECT_EQ(HearAfter(seconds{1}, 2), 3);
  EXPECT_EQ(HearAfter(seconds{1}, 2), 3);
  EXPECT_EQ(HearAfter(seconds{2}, 2), 2);
}

TEST_F(NodeCountHysteresisTest, FallsBelowTheInitialCountAfterAWhile) {
  EXPECT_EQ(started_.OnReply(1, now_), 10);
  EXPECT_EQ(started_.OnReply(3, now_ + seconds{1}), 10);
  EXPECT_EQ(started_.OnReply(2, now_ + milliseconds{2999}), 10);
  EXPECT_EQ(started_.OnReply(2, now_ + seconds{3}), 3);
}

TEST_F(NodeCountHysteresisTest, KeepsNodesThatReturnInTime) {
  HearAfter(seconds{0}, 4);
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(HearAfter(seconds{1}, 1), 4);
    EXPECT_EQ(HearAfter(seconds{1}, 1), 4);
    EXPECT_EQ(HearAfter(seconds{1}, 4), 4);
  }
}

TEST_F(NodeCountHysteresisTest, ForgetsLowerCountsAfterASilence) {
  HearAfter(seconds{0}, 2);
  // A store that comes and goes: the first node that returns counts only itself.
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(HearAfter(seconds{10}, 1), 2);
    EXPECT_EQ(HearAfter(seconds{1}, 1), 2);
  }
  EXPECT_EQ(HearAfter(seconds{1}, 1), 2);
  EXPECT_EQ(HearAfter(seconds{1}, 1), 1);
}

TEST_F(NodeCountHysteresisTest, DoesNotFallWhenTheClockStepsBack) {
  HearAfter(seconds{0}, 2);
  EXPECT_EQ(HearAfter(seconds{1}, 1), 2);
  EXPECT_EQ(HearAfter(-seconds{100}, 1), 2);
}

}  // namespace
}  // namespace sluice
