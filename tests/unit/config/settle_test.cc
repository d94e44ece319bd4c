#include "config/settle.h"

#include <gtest/gtest.h>

#include <optional>

namespace sluice::testing {
namespace {

constexpr Time At(std::int64_t nanos) { return Time{Nanos{nanos}}; }

// Quiet for 10, at most 100; after failures 20, 30, then 50 each time.
constexpr SettleTimes kTimes = {
    .quiet = Nanos{10}, .longest = Nanos{100}, .pauses = {Nanos{20}, Nanos{30}, Nanos{50}}};

class SettleTest : public ::testing::Test {
 protected:
  // After the first look, which found nothing new; the next one is far away.
  SettleTest() {
    EXPECT_EQ(settle_.Take(At(0)), ReloadCause::kLook);
    settle_.Succeeded(At(10'000));
  }

  Settle settle_{kTimes};
};

TEST(SettleStartTest, AFirstLookIsDueAtOnce) {
  Settle settle(kTimes);
  EXPECT_LE(settle.Due(), At(0));
  EXPECT_EQ(settle.Take(At(0)), ReloadCause::kLook);
}

// Invariant (1).
TEST_F(SettleTest, AChangeIsActedOnOnceItHasBeenQuiet) {
  settle_.Changed(Noticed::kChange, At(1000));
  EXPECT_EQ(settle_.Due(), At(1010));
  settle_.Changed(Noticed::kChange, At(1005));
  EXPECT_EQ(settle_.Take(At(1014)), std::nullopt);
  EXPECT_EQ(settle_.Take(At(1015)), ReloadCause::kChange);
  EXPECT_EQ(settle_.Take(At(1016)), std::nullopt);
}

// Invariant (1).
TEST_F(SettleTest, ChangesWithoutAPauseAreActedOnAfterTheLongestWait) {
  int taken = 0;
  for (int now = 1000; now < 1330; now += 5) {
    settle_.Changed(Noticed::kChange, At(now));
    if (settle_.Take(At(now))) ++taken;
  }
  EXPECT_EQ(taken, 3);
}

// Invariant (1).
TEST_F(SettleTest, AFileThatIsStillWrittenIsWaitedForButNotForEver) {
  settle_.Changed(Noticed::kUnfinishedChange, At(1000));
  EXPECT_EQ(settle_.Due(), At(1100));
  settle_.Changed(Noticed::kChange, At(1050));
  EXPECT_EQ(settle_.Due(), At(1060));
  settle_.Changed(Noticed::kUnfinishedChange, At(1055));
  EXPECT_EQ(settle_.Take(At(1099)), std::nullopt);
  EXPECT_EQ(settle_.Take(At(1100)), ReloadCause::kChange);
}

TEST_F(SettleTest, WhereNothingWasNoticedNothingIsDue) {
  settle_.Changed(Noticed::kNothing, At(1000));
  EXPECT_EQ(settle_.Due(), At(10'000));
}

// Invariant (2).
TEST_F(SettleTest, ARequestIsActedOnAtOnceAndCoversChangesUntilThen) {
  settle_.Changed(Noticed::kUnfinishedChange, At(1000));
  settle_.Requested();
  EXPECT_LE(settle_.Due(), At(1000));
  EXPECT_EQ(settle_.Take(At(1000)), ReloadCause::kRequest);
  settle_.Succeeded(At(9000));
  EXPECT_EQ(settle_.Take(At(2000)), std::nullopt);
  EXPECT_EQ(settle_.Due(), At(9000));
}

// Invariant (3).
TEST_F(SettleTest, AfterAFailureThereAreLooksAtGrowingPauses) {
  settle_.Changed(Noticed::kChange, At(1000));
  EXPECT_EQ(settle_.Take(At(1010)), ReloadCause::kChange);
  Time now = At(1010);
  for (const std::int64_t pause : {20, 30, 50, 50, 50}) {
    settle_.Failed(now);
    EXPECT_EQ(settle_.Due(), now + Nanos{pause});
    EXPECT_EQ(settle_.Take(now + Nanos{pause - 1}), std::nullopt);
    now += Nanos{pause};
    EXPECT_EQ(settle_.Take(now), ReloadCause::kLook);
  }
  settle_.Succeeded(At(9000));
  EXPECT_EQ(settle_.Due(), At(9000));
}

// Invariant (3).
TEST_F(SettleTest, AChangeOrARequestStartsThePausesAnew) {
  Time now = At(1000);
  for (const bool change : {true, false}) {
    for (int i = 0; i < 3; ++i) settle_.Failed(now);
    if (change) settle_.Changed(Noticed::kChange, now - kTimes.quiet);
    if (!change) settle_.Requested();
    EXPECT_TRUE(settle_.Take(now));
    settle_.Failed(now);
    EXPECT_EQ(settle_.Due(), now + Nanos{20});
    now += Nanos{1000};
  }
}

// Invariant (3).
TEST_F(SettleTest, ASuccessEndsThePauses) {
  for (int i = 0; i < 3; ++i) settle_.Failed(At(1000));
  settle_.Succeeded(At(5000));
  EXPECT_EQ(settle_.Take(At(5000)), ReloadCause::kLook);
  settle_.Failed(At(5000));
  EXPECT_EQ(settle_.Due(), At(5020));
}

// Invariant (4).
TEST_F(SettleTest, AChangeReplacesTheLookThatWasDue) {
  settle_.Failed(At(1000));
  settle_.Changed(Noticed::kUnfinishedChange, At(1010));
  EXPECT_EQ(settle_.Take(At(1020)), std::nullopt);
  EXPECT_EQ(settle_.Take(At(1110)), ReloadCause::kChange);
}

}  // namespace
}  // namespace sluice::testing
