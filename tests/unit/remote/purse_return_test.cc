// Purse, invariants (5) and (6): what goes back to the remote, when, and how often.
#include <gtest/gtest.h>

#include <array>
#include <chrono>

#include "remote/purse.h"
#include "unit/remote/purse_scene.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::TermsOf;
using Answer = Nearby::Answer;

class PurseReturnTest : public testing::PurseScene {};

// Invariant (5).
TEST_F(PurseReturnTest, ALeaseThatNobodySpendsGoesBackEarly) {
  Lease();
  now_ += milliseconds{200};
  ASSERT_EQ(Take(), Answer::kDecided);
  now_ += milliseconds{249};
  EXPECT_EQ(Back(), 0);
  now_ += milliseconds{1};
  EXPECT_EQ(Back(), 7);
  EXPECT_EQ(items_[0].key, ItemOf(1).key);
  EXPECT_EQ(Back(), 0);
  EXPECT_EQ(Take(), Answer::kUnknown);
}

// Invariant (5): whoever takes units after that does so of a bucket that is full.
TEST_F(PurseReturnTest, UnitsOfABucketGoBackUntilTheyAreBackByThemselves) {
  Lease();
  const Time decided_at = now_ + ahead_;
  now_ += milliseconds{300};
  EXPECT_EQ(Back(), 8);
  EXPECT_EQ(items_[0].bound->until, decided_at + seconds{30});
}

// Invariant (5).
TEST_F(PurseReturnTest, LeasesOfDifferentTimesGoBackEachUntilItsOwn) {
  Lease();
  for (int i = 0; i < 7; ++i) ASSERT_EQ(Take(), Answer::kDecided);
  now_ += milliseconds{10};
  Grant();
  EXPECT_EQ(Back(Purse::Which::kAll), 1 + 16);
  ASSERT_EQ(items_.size(), 2U);
  EXPECT_EQ(items_[1].bound->until - items_[0].bound->until, milliseconds{10});
}

// Invariant (5).
TEST_F(PurseReturnTest, AllGoesBackWhenAsked) {
  Lease();
  EXPECT_EQ(Back(Purse::Which::kAll), 8);
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(Purse::Which::kAll), 0);
}

// Invariant (5): of keys that stand together, and far from each other.
TEST_F(PurseReturnTest, AWalkInPortionsTakesEveryLeaseOnce) {
  for (const WalkBounds& most :
       {WalkBounds{.keys = 3, .items = 1000}, WalkBounds{.keys = 1000, .items = 3},
        WalkBounds{.keys = 1, .items = 5}}) {
    for (std::uint64_t i = 0; i < 20; ++i) {
      key_ = {.high = (i / 5) << 60U, .low = i};
      Lease();
    }
    std::size_t walked = 0;
    bool is_end = false;
    while (!is_end && walked < 1000) {
      items_.clear();
      Purse::ReturnBounds bounds{.walk = most};
      is_end = purse_.TakeReturns(Purse::Which::kAll, bounds, now_, items_);
      EXPECT_LE(items_.size(), 3U);
      walked += items_.size();
    }
    EXPECT_EQ(walked, 20U);
    EXPECT_EQ(purse_.UnitsForTest(), 0);
  }
}

// Invariant (5).
TEST_F(PurseReturnTest, WhatIsGrantedAfterTheEndGoesBack) {
  Demand(800);
  purse_.Close();
  Grant();
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(), 8);
  Demand(800);
  EXPECT_TRUE(asked_.empty());
}

// Invariant (6).
TEST_F(PurseReturnTest, AReplyThatIsLostLosesTheUnits) {
  Demand(800);
  purse_.NotGranted(asked_[0], now_);
  asked_.clear();
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(Purse::Which::kAll), 0);
  CheckThere(800);
  EXPECT_TRUE(asked_.empty());  // not at once
  now_ += milliseconds{100};
  CheckThere(800);
  EXPECT_EQ(asked_.size(), 1U);
}

// Invariant (6).
TEST_F(PurseReturnTest, AReturnThatWasNotDoneIsRepeatedAndNotSpent) {
  Lease();
  now_ += milliseconds{300};
  ASSERT_EQ(Back(), 8);
  const RemoteItem item = items_[0];
  purse_.NotReturned(item, now_, now_);
  EXPECT_EQ(purse_.UnitsForTest(), 8);
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(), 0);  // not at once
  now_ += milliseconds{100};
  ASSERT_EQ(Back(), 8);
  EXPECT_EQ(items_[0].bound, item.bound);
  EXPECT_EQ(items_[0].terms, item.terms);
  EXPECT_EQ(Back(), 0);
}

// Invariant (5).
TEST_F(PurseReturnTest, AReturnThatHasNoUseAnyMoreIsNotRepeated) {
  Lease();
  const Time granted_at = now_;
  now_ += milliseconds{300};
  ASSERT_EQ(Back(), 8);
  const Time taken_at = now_;
  now_ = granted_at + seconds{30};
  purse_.NotReturned(items_[0], taken_at, now_);
  EXPECT_EQ(purse_.UnitsForTest(), 0);
}

// Invariant (6): what was charged for it is wiped, and what is charged now is of others.
TEST_F(PurseReturnTest, AReturnFromBeforeAResetIsNotRepeated) {
  Lease();
  now_ += milliseconds{300};
  ASSERT_EQ(Back(), 8);
  const Time taken_at = now_;
  now_ += milliseconds{1};
  purse_.Forget(key_, now_);
  now_ += milliseconds{1};
  purse_.NotReturned(items_[0], taken_at, now_);
  EXPECT_EQ(purse_.UnitsForTest(), 0);
  // One from after it is.
  Lease();
  now_ += milliseconds{300};
  ASSERT_EQ(Back(), 8);
  purse_.NotReturned(items_[0], now_, now_);
  EXPECT_EQ(purse_.UnitsForTest(), 8);
}

// Invariant (5).
TEST_F(PurseReturnTest, WhatIsGivenBackAfterTheLeaseGoesBack) {
  Lease();
  ASSERT_EQ(Take(3), Answer::kDecided);
  now_ += seconds{2};
  EXPECT_EQ(Back(), 5);
  purse_.GiveBack(ItemOf(3), now_, now_, decision_);
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(), 3);
}

// Invariant (4): they were charged in the window before.
TEST_F(PurseReturnTest, UnitsOfOneWindowAreNotPutIntoTheNext) {
  terms_ = TermsOf({.algorithm = Algorithm::kFixedWindow, .rate = Rate{1000, minutes{1}}});
  Lease();  // ends with the window in 30 s
  ASSERT_EQ(Take(3), Answer::kDecided);
  const Time since = now_;
  now_ += seconds{40};
  Back();
  Demand(800);
  Grant();
  ASSERT_EQ(Take(), Answer::kDecided);
  const std::int64_t before = purse_.UnitsForTest();
  now_ += milliseconds{1};
  purse_.GiveBack(ItemOf(3), since, now_, decision_);
  EXPECT_EQ(purse_.UnitsForTest(), before);
  // However long that request took; those of this window are.
  now_ += milliseconds{200};
  purse_.GiveBack(ItemOf(3), since, now_, decision_);
  EXPECT_EQ(purse_.UnitsForTest(), before);
  purse_.GiveBack(ItemOf(1), now_ - milliseconds{201}, now_, decision_);
  EXPECT_EQ(purse_.UnitsForTest(), before + 1);
}

// Invariant (6).
TEST_F(PurseReturnTest, UnitsFromBeforeAResetAreNotPutBack) {
  Lease();
  ASSERT_EQ(Take(3), Answer::kDecided);
  const Time since = now_;
  now_ += milliseconds{1};
  purse_.Forget(ItemOf(1).key, now_);
  purse_.GiveBack(ItemOf(3), since, now_, decision_);
  EXPECT_EQ(Back(Purse::Which::kAll), 0);
}

// Units of different times are one return: it must not outlive the first of them, whichever came
// first.
TEST_F(PurseReturnTest, ReturnsOfDifferentTimesAreRepeatedUntilTheEarliest) {
  Lease();
  const Time there = now_ + ahead_;
  for (const auto& [first, second, third] :
       {std::array<int, 3>{5, 9, 7}, std::array<int, 3>{9, 7, 5}, std::array<int, 3>{7, 5, 9}}) {
    ASSERT_GE(Back(Purse::Which::kAll), 0);
    for (const int after : {first, second, third}) {
      RemoteItem item = ItemOf(after);
      item.bound = ReturnBound{there + seconds{after}};
      purse_.NotReturned(item, now_ + Nanos{1}, now_);
    }
    now_ += milliseconds{150};
    EXPECT_EQ(Back(Purse::Which::kAll), 5 + 9 + 7);
    ASSERT_EQ(items_.size(), 1U);
    EXPECT_EQ(items_[0].bound->until, there + seconds{5});
  }
}

}  // namespace
}  // namespace sluice
