#include "frontend/http/held_replies.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>

namespace sluice {
namespace {

TEST(HeldRepliesTest, FinishesHeldReplyLate) {
  EventLoop loop;
  HeldReplies held(&loop, std::chrono::milliseconds{1});
  int finished = 0;
  const auto finish = [&] {
    if (++finished == 2) loop.End();
  };
  held.Hold(finish);
  held.Hold(finish);
  EXPECT_EQ(finished, 0);
  loop.Run();
  EXPECT_EQ(finished, 2);
}

// A client that shows wrong tokens must not use up the connections of its proxy.
TEST(HeldRepliesTest, FinishesAtOnceBeyondTheBoundAndReusesSlots) {
  EventLoop loop;
  HeldReplies held(&loop, std::chrono::milliseconds{1});
  std::size_t finished = 0;
  const auto finish = [&] {
    if (++finished == HeldReplies::kMaxHeld + 1) loop.End();
  };
  for (std::size_t i = 0; i < HeldReplies::kMaxHeld; ++i) held.Hold(finish);
  EXPECT_EQ(finished, 0U);
  held.Hold(finish);
  EXPECT_EQ(finished, 1U);
  loop.Run();
  EXPECT_EQ(finished, HeldReplies::kMaxHeld + 1);
  held.Hold(finish);
  EXPECT_EQ(finished, HeldReplies::kMaxHeld + 1);
}

TEST(HeldRepliesTest, ComparesOnlyFirstCredentialsWhileTheBoundIsReached) {
  EventLoop loop;
  HeldReplies held(&loop, std::chrono::milliseconds{1});
  for (std::size_t i = 1; i < HeldReplies::kMaxHeld; ++i) held.Note();
  EXPECT_TRUE(held.Compares(7));
  held.Hold([&] { loop.End(); });
  EXPECT_FALSE(held.Compares(1));
  EXPECT_TRUE(held.Compares(0)) << "nobody with the right credential is locked out";
  held.Note();
  EXPECT_FALSE(held.Compares(1));
  loop.Run();
  EXPECT_TRUE(held.Compares(7)) << "at least one is not held any more";
}

TEST(HeldRepliesTest, HoldsNothingWithoutALoop) {
  HeldReplies held(nullptr);
  int finished = 0;
  held.Hold([&] { ++finished; });
  EXPECT_EQ(finished, 1);
}

}  // namespace
}  // namespace sluice
