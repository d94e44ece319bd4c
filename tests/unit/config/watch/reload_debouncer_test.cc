#include "config/watch/reload_debouncer.h"

#include <gtest/gtest.h>

#include <optional>

namespace sluice::testing {
namespace {

constexpr Time At(std::int64_t nanos) { return Time{Nanos{nanos}}; }

// Quiet for 10 ns, delayed by at most 100 ns; retries after 20, 30, then every 50 ns.
constexpr ReloadDelays kTimes = {
    .quiet = Nanos{10}, .longest = Nanos{100}, .pauses = {Nanos{20}, Nanos{30}, Nanos{50}}};

class ReloadDebouncerTest : public ::testing::Test {
 protected:
  // Starts after the first check has found nothing new; the next one is far away.
  ReloadDebouncerTest() {
    EXPECT_EQ(debouncer_.Take(At(0)), ReloadCause::kLook);
    debouncer_.Succeeded(At(10'000));
  }

  ReloadDebouncer debouncer_{kTimes};
};

TEST(ReloadDebouncerStartTest, ChecksFilesAtOnce) {
  ReloadDebouncer settle(kTimes);
  EXPECT_LE(settle.Due(), At(0));
  EXPECT_EQ(settle.Take(At(0)), ReloadCause::kLook);
}

// Invariant (1).
TEST_F(ReloadDebouncerTest, ReloadsOnceFilesAreQuiet) {
  debouncer_.Changed(Noticed::kChange, At(1000));
  EXPECT_EQ(debouncer_.Due(), At(1010));
  debouncer_.Changed(Noticed::kChange, At(1005));
  EXPECT_EQ(debouncer_.Take(At(1014)), std::nullopt);
  EXPECT_EQ(debouncer_.Take(At(1015)), ReloadCause::kChange);
  EXPECT_EQ(debouncer_.Take(At(1016)), std::nullopt);
}

// Invariant (1).
TEST_F(ReloadDebouncerTest, ReloadsContinuousChangesAfterMaximumDelay) {
  int taken = 0;
  for (int now = 1000; now < 1330; now += 5) {
    debouncer_.Changed(Noticed::kChange, At(now));
    if (debouncer_.Take(At(now))) ++taken;
  }
  EXPECT_EQ(taken, 3);
}

// Invariant (1).
TEST_F(ReloadDebouncerTest, WaitsForUnfinishedFilesUpToMaximumDelay) {
  debouncer_.Changed(Noticed::kUnfinishedChange, At(1000));
  EXPECT_EQ(debouncer_.Due(), At(1100));
  debouncer_.Changed(Noticed::kChange, At(1050));
  EXPECT_EQ(debouncer_.Due(), At(1060));
  debouncer_.Changed(Noticed::kUnfinishedChange, At(1055));
  EXPECT_EQ(debouncer_.Take(At(1099)), std::nullopt);
  EXPECT_EQ(debouncer_.Take(At(1100)), ReloadCause::kChange);
}

TEST_F(ReloadDebouncerTest, IgnoresNothing) {
  debouncer_.Changed(Noticed::kNothing, At(1000));
  EXPECT_EQ(debouncer_.Due(), At(10'000));
}

// Invariant (2).
TEST_F(ReloadDebouncerTest, HandlesRequestAtOnceTogetherWithPendingChanges) {
  debouncer_.Changed(Noticed::kUnfinishedChange, At(1000));
  debouncer_.Requested();
  EXPECT_LE(debouncer_.Due(), At(1000));
  EXPECT_EQ(debouncer_.Take(At(1000)), ReloadCause::kRequest);
  debouncer_.Succeeded(At(9000));
  EXPECT_EQ(debouncer_.Take(At(2000)), std::nullopt);
  EXPECT_EQ(debouncer_.Due(), At(9000));
}

// Invariant (3).
TEST_F(ReloadDebouncerTest, BacksOffAfterFailures) {
  debouncer_.Changed(Noticed::kChange, At(1000));
  EXPECT_EQ(debouncer_.Take(At(1010)), ReloadCause::kChange);
  Time now = At(1010);
  for (const std::int64_t pause : {20, 30, 50, 50, 50}) {
    debouncer_.Failed(now);
    EXPECT_EQ(debouncer_.Due(), now + Nanos{pause});
    EXPECT_EQ(debouncer_.Take(now + Nanos{pause - 1}), std::nullopt);
    now += Nanos{pause};
    EXPECT_EQ(debouncer_.Take(now), ReloadCause::kLook);
  }
  debouncer_.Succeeded(At(9000));
  EXPECT_EQ(debouncer_.Due(), At(9000));
}

// Invariant (3).
TEST_F(ReloadDebouncerTest, RestartsBackoffAfterChangeOrRequest) {
  Time now = At(1000);
  for (const bool change : {true, false}) {
    for (int i = 0; i < 3; ++i) debouncer_.Failed(now);
    if (change) debouncer_.Changed(Noticed::kChange, now - kTimes.quiet);
    if (!change) debouncer_.Requested();
    EXPECT_TRUE(debouncer_.Take(now));
    debouncer_.Failed(now);
    EXPECT_EQ(debouncer_.Due(), now + Nanos{20});
    now += Nanos{1000};
  }
}

// Invariant (3).
TEST_F(ReloadDebouncerTest, RestartsBackoffAfterSuccess) {
  for (int i = 0; i < 3; ++i) debouncer_.Failed(At(1000));
  debouncer_.Succeeded(At(5000));
  EXPECT_EQ(debouncer_.Take(At(5000)), ReloadCause::kLook);
  debouncer_.Failed(At(5000));
  EXPECT_EQ(debouncer_.Due(), At(5020));
}

// Invariant (4).
TEST_F(ReloadDebouncerTest, ReplacesPendingRetryByChange) {
  debouncer_.Failed(At(1000));
  debouncer_.Changed(Noticed::kUnfinishedChange, At(1010));
  EXPECT_EQ(debouncer_.Take(At(1020)), std::nullopt);
  EXPECT_EQ(debouncer_.Take(At(1110)), ReloadCause::kChange);
}

}  // namespace
}  // namespace sluice::testing
