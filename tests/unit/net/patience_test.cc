#include "net/patience.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Awaits = Patience::Awaits;

class PatienceTest : public testing::Test {
 protected:
  // Whether it is enough, after the time and what has happened in it.
  bool After(Nanos time, const Patience::Seen& seen) {
    now += time;
    return patience.IsOver(seen, now);
  }

  const Deadlines deadlines{
      .idle = seconds(100), .header = seconds(5), .body = seconds(10), .write = seconds(8)};
  Patience patience{deadlines};
  Nanos now = seconds(1'000'000);
};

TEST_F(PatienceTest, EachThingHasItsDeadline) {
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

TEST_F(PatienceTest, AWholeRequestBeginsItAnew) {
  for (std::uint64_t i = 0; i < 10; ++i) {
    EXPECT_FALSE(After(seconds(99), {.awaits = Awaits::kRequest, .completed = i}));
  }
}

TEST_F(PatienceTest, StallsOnceTwoLooksHaveSeenTheSame) {
  Patience::Seen body{.awaits = Awaits::kBody, .completed = 1};
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
TEST_F(PatienceTest, WhatComesByteByByteIsLate) {
  EXPECT_FALSE(After(seconds(0), {.awaits = Awaits::kHead, .completed = 3}));
  EXPECT_FALSE(After(seconds(5), {.awaits = Awaits::kHead, .completed = 3}));
  EXPECT_TRUE(After(milliseconds(1), {.awaits = Awaits::kHead, .completed = 3}));
}

// Invariant (2): 8 KiB in 8 seconds.
TEST_F(PatienceTest, WhoTakesAByteNowAndThenIsLate) {
  bool is_over = false;
  int looks = 0;
  for (; !is_over && looks < 1000; ++looks) {
    is_over = After(milliseconds(250), {.awaits = Awaits::kReader, .taken = looks});
  }
  EXPECT_EQ(looks, 34);
}

TEST_F(PatienceTest, WhoTakesJustEnoughIsNot) {
  for (int i = 0; i < 1000; ++i) {
    ASSERT_FALSE(After(milliseconds(250), {.awaits = Awaits::kReader, .taken = 256 * i})) << i;
  }
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(After(seconds(8), {.awaits = Awaits::kReader, .taken = 1'000'000 + 8192 * i}));
  }
}

// Invariant (3).
TEST_F(PatienceTest, AServiceMayTakeLong) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(After(std::chrono::hours(24), {.awaits = Awaits::kService}));
  }
}

}  // namespace
}  // namespace sluice
