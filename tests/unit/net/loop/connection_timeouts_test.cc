#include "net/loop/connection_timeouts.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Awaits = ConnectionTimeouts::Awaits;

class ConnectionTimeoutsTest : public testing::Test {
 protected:
  // Advances the time and takes a sample. Returns whether the deadline has passed.
  bool After(Nanos time, const ConnectionTimeouts::Seen& seen) {
    now += time;
    return patience.IsOver(seen, now);
  }

  const Deadlines deadlines{
      .idle = seconds(100), .header = seconds(5), .body = seconds(10), .write = seconds(8)};
  ConnectionTimeouts patience{deadlines};
  Nanos now = seconds(1'000'000);
};

TEST_F(ConnectionTimeoutsTest, ExpiresEachWaitAfterItsDeadline) {
  struct Case {
    Awaits awaits;
    Nanos allowed;
  };
  for (const Case& each : {Case{Awaits::kRequest, seconds(100)}, Case{Awaits::kHead, seconds(5)},
                           Case{Awaits::kBody, seconds(10)}, Case{Awaits::kReader, seconds(8)},
                           Case{Awaits::kEnd, seconds(1)}}) {
    EXPECT_FALSE(After(seconds(1000), {.awaits = each.awaits})) << "a first look is never one";
    EXPECT_FALSE(After(each.allowed, {.awaits = each.awaits}));
    EXPECT_TRUE(After(Nanos(1), {.awaits = each.awaits}));
  }
}

TEST_F(ConnectionTimeoutsTest, RestartsDeadlineAfterACompleteRequest) {
  for (std::uint64_t i = 0; i < 10; ++i) {
    EXPECT_FALSE(After(seconds(99), {.awaits = Awaits::kRequest, .completed = i}));
  }
}

TEST_F(ConnectionTimeoutsTest, StallsAfterTwoEqualSamples) {
  ConnectionTimeouts::Seen body{.awaits = Awaits::kBody, .completed = 1};
  EXPECT_FALSE(patience.IsStalled(body)) << "nobody has looked";
  After(Nanos(0), body);
  EXPECT_FALSE(patience.IsStalled(body));
  After(Nanos(0), body);
  EXPECT_TRUE(patience.IsStalled(body));
  body.completed = 2;
  EXPECT_FALSE(patience.IsStalled(body)) << "it is another request";
  After(Nanos(0), body);
  EXPECT_FALSE(patience.IsStalled(body));
}

// Invariant (1).
TEST_F(ConnectionTimeoutsTest, ExpiresHeadsThatArriveByteByByte) {
  EXPECT_FALSE(After(seconds(0), {.awaits = Awaits::kHead, .completed = 3}));
  EXPECT_FALSE(After(seconds(5), {.awaits = Awaits::kHead, .completed = 3}));
  EXPECT_TRUE(After(milliseconds(1), {.awaits = Awaits::kHead, .completed = 3}));
}

// Invariant (2): 8 KiB in 8 seconds.
TEST_F(ConnectionTimeoutsTest, ExpiresReadersBelowTheMinimumRate) {
  bool is_over = false;
  int looks = 0;
  for (; !is_over && looks < 1000; ++looks) {
    is_over = After(milliseconds(250), {.awaits = Awaits::kReader, .taken = looks});
  }
  EXPECT_EQ(looks, 34);
}

TEST_F(ConnectionTimeoutsTest, AllowsReadersAtTheMinimumRate) {
  for (int i = 0; i < 1000; ++i) {
    ASSERT_FALSE(After(milliseconds(250), {.awaits = Awaits::kReader, .taken = 256 * i})) << i;
  }
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(After(seconds(8), {.awaits = Awaits::kReader, .taken = 1'000'000 + 8192 * i}));
  }
}

// Invariant (3).
TEST_F(ConnectionTimeoutsTest, NeverExpiresServices) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(After(std::chrono::hours(24), {.awaits = Awaits::kService}));
  }
}

}  // namespace
}  // namespace sluice
