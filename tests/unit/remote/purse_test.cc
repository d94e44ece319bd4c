#include "remote/purse.h"

#include <gtest/gtest.h>

#include <chrono>

#include "unit/remote/purse_scene.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::TermsOf;
using Answer = Nearby::Answer;

class PurseTest : public testing::PurseScene {};

TEST_F(PurseTest, AFewChecksWithinALifeAreWorthALease) {
  CheckThere(800);
  CheckThere(800);
  CheckThere(800);
  EXPECT_TRUE(asked_.empty());
  CheckThere(800);
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].cost.units, 8);
  EXPECT_EQ(asked_[0].route, 9U);
}

TEST_F(PurseTest, ChecksThatAreFarApartAreNot) {
  for (int i = 0; i < 20; ++i) {
    CheckThere(800);
    now_ += milliseconds{501};
  }
  EXPECT_TRUE(asked_.empty());
}

// Invariant (1).
TEST_F(PurseTest, WhatIsGrantedIsSpentOnceAndNoMore) {
  Lease();
  EXPECT_EQ(SpendAll(), 8);
  EXPECT_EQ(Back(Purse::Which::kAll), 0);
}

TEST_F(PurseTest, RemainingIsWhatIsHereAndWhatWasLeftThere) {
  Lease();
  now_ += milliseconds{100};
  ASSERT_EQ(Take(3), Answer::kDecided);
  EXPECT_TRUE(decision_.allowed);
  EXPECT_EQ(decision_.source, Source::kLease);
  EXPECT_EQ(decision_.limit, 1000);
  EXPECT_EQ(decision_.remaining, 505);
  EXPECT_EQ(decision_.reset_after, seconds{30} - milliseconds{100});
  EXPECT_EQ(Take(6), Answer::kUnknown);
  EXPECT_EQ(Take(5), Answer::kDecided);
}

TEST_F(PurseTest, SaysWhenTheRemoteHasMore) {
  EXPECT_EQ(purse_.UntilMore(ItemOf(1), now_), Nanos{0});
  Lease();  // which left 500 there; one more comes back every 60 ms
  now_ += milliseconds{20};
  ASSERT_EQ(Take(3), Answer::kDecided);
  EXPECT_EQ(purse_.UntilMore(ItemOf(3), now_), milliseconds{40});
  now_ += milliseconds{100};
  EXPECT_EQ(purse_.UntilMore(ItemOf(3), now_), Nanos{1});
}

TEST_F(PurseTest, SaysWhenTheRemoteHasMoreOfALimitWhoseStateSaysIt) {
  terms_ = TermsOf({.algorithm = Algorithm::kSlidingWindow, .rate = Rate{1000, minutes{1}}});
  more_after_ = milliseconds{70};
  Lease();
  now_ += milliseconds{20};
  ASSERT_EQ(Take(3), Answer::kDecided);
  EXPECT_EQ(purse_.UntilMore(ItemOf(3), now_), milliseconds{50});
}

// Invariant (2).
TEST_F(PurseTest, OneLeaseIsAskedForAtATime) {
  Demand(800);
  for (int i = 0; i < 20; ++i) {
    static_cast<void>(Take());
    EXPECT_EQ(Hear(ItemOf(1), Told(800)).units, 0);
  }
  EXPECT_EQ(asked_.size(), 1U);
  Grant();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(Take(), Answer::kDecided);
  EXPECT_TRUE(asked_.empty());
  EXPECT_EQ(Take(), Answer::kDecided);  // below a quarter
  EXPECT_EQ(asked_.size(), 1U);
  EXPECT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(asked_.size(), 1U);
}

// Invariant (3).
TEST_F(PurseTest, ALeaseIsAFairPartOfWhatIsLeft) {
  purse_.SetLiveNodes(10);
  Demand(119);
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].cost.units, 5);
  EXPECT_EQ(asked_[0].left_alone.units, 95);
}

// Invariant (3).
TEST_F(PurseTest, NearTheLimitNothingIsLeased) {
  purse_.SetLiveNodes(10);
  Demand(79);
  EXPECT_TRUE(asked_.empty());
}

TEST_F(PurseTest, ALeaseThatIsSpentIsFollowedByOneTwiceAsLarge) {
  Lease();
  for (int i = 0; i < 7; ++i) ASSERT_EQ(Take(), Answer::kDecided);
  Grant();
  EXPECT_EQ(Take(), Answer::kDecided);  // the last of the first
  EXPECT_EQ(SpendAll(), 16);
  Grant();
  EXPECT_EQ(SpendAll(), 32);
}

TEST_F(PurseTest, ALeaseThatEndsUnspentIsFollowedByWhatWasSpent) {
  Lease();
  for (int round = 0; round < 3; ++round) {
    SpendAll();
    CheckThere(800);
    if (!asked_.empty()) Grant();
  }
  const std::int64_t granted = purse_.UnitsForTest();
  ASSERT_GT(granted, 20);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(Take(), Answer::kDecided);
  now_ += seconds{1};
  EXPECT_EQ(Back(), granted - 10);
  CheckThere(800);
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].cost.units, 10);
}

// Invariant (4).
TEST_F(PurseTest, ALeaseEndsItsLifeAfterItWasAskedFor) {
  Demand(800);
  const RemoteItem item = asked_.front();
  const Time sent_at = now_;
  now_ += milliseconds{400};
  GrantAs(item, Told(500), sent_at, now_ + ahead_);
  now_ = sent_at + seconds{1} - Nanos{1};
  EXPECT_EQ(Take(), Answer::kDecided);
  now_ += Nanos{1};
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(), 7);
}

// Invariant (4).
TEST_F(PurseTest, ALeaseEndsWithItsWindow) {
  LimitSpec spec{.algorithm = Algorithm::kFixedWindow, .rate = Rate{1000, minutes{1}}};
  terms_ = TermsOf(spec);
  Demand(800);
  const RemoteItem item = asked_.front();
  const Time sent_at = now_;
  Decision told = Told(500);
  told.reset_after = milliseconds{200};
  now_ += milliseconds{50};
  const Time decided_at = sent_at + milliseconds{25} + ahead_;
  GrantAs(item, told, sent_at, decided_at);
  now_ = sent_at + milliseconds{200} - Nanos{1};
  EXPECT_EQ(Take(), Answer::kDecided);
  now_ += Nanos{1};
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(), 7);
  ASSERT_EQ(items_.size(), 1U);
  EXPECT_EQ(items_[0].bound->until, decided_at + milliseconds{200});
}

// Invariant (5): they have to be back before the part ends.
TEST_F(PurseTest, NothingIsLeasedShortlyBeforeTheEndOfAPart) {
  terms_ = TermsOf({.algorithm = Algorithm::kSlidingWindow, .rate = Rate{1000, seconds{2}}});
  now_ += seconds{1} + milliseconds{941};
  Demand(800);
  EXPECT_TRUE(asked_.empty());
  now_ += milliseconds{60};
  Demand(800);
  Grant();
  EXPECT_EQ(SpendAll(), 8);
}

// Invariant (4).
TEST_F(PurseTest, ALeaseOfAPartEndsBeforeIt) {
  terms_ = TermsOf({.algorithm = Algorithm::kSlidingWindow, .rate = Rate{1000, seconds{20}}});
  now_ += seconds{19} + milliseconds{500};
  Demand(800);
  Grant();
  now_ += milliseconds{470} - Nanos{1};
  EXPECT_EQ(Take(), Answer::kDecided);
  now_ += Nanos{1};
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(), 7);
  EXPECT_EQ(items_[0].bound->until, now_ + milliseconds{30} + ahead_);
}

// Invariant (1): of what was put back while it was asked for nothing is lost.
TEST_F(PurseTest, ANewLeaseReplacesNoUnits) {
  Lease();
  for (int i = 0; i < 7; ++i) ASSERT_EQ(Take(), Answer::kDecided);
  ASSERT_EQ(asked_.size(), 1U);
  const Time since = now_;
  now_ += seconds{1};  // the end of the first
  purse_.GiveBack(ItemOf(3), since, now_, decision_);
  Grant();
  EXPECT_EQ(purse_.UnitsForTest(), 1 + 3 + 16);
  EXPECT_EQ(SpendAll(), 16);
  EXPECT_EQ(Back(), 1 + 3);
}

// Invariant (1): the second was spent when the third was asked for.
TEST_F(PurseTest, ANewLeaseReplacesNoUnitsOfTheSecond) {
  Lease();
  for (int i = 0; i < 7; ++i) ASSERT_EQ(Take(), Answer::kDecided);
  now_ += milliseconds{900};
  Grant();
  now_ += milliseconds{100};  // the end of the first
  for (int i = 0; i < 16; ++i) ASSERT_EQ(Take(), Answer::kDecided);
  ASSERT_EQ(asked_.size(), 1U);
  purse_.GiveBack(ItemOf(3), now_, now_, decision_);
  Grant();
  EXPECT_EQ(purse_.UnitsForTest(), 1 + 3 + 32);
  EXPECT_EQ(SpendAll(), 3 + 32);
  EXPECT_EQ(Back(), 1);
}

// Invariant (6).
TEST_F(PurseTest, AKeyThatIsForgottenHasNothing) {
  Lease();
  purse_.Forget(ItemOf(1).key, now_);
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(Purse::Which::kAll), 0);
}

// Invariant (6): it may have been charged before the reset.
TEST_F(PurseTest, ALeaseThatIsUnderWayWhenTheKeyIsForgottenIsLost) {
  Demand(800);
  purse_.Forget(ItemOf(1).key, now_);
  Grant();
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(Purse::Which::kAll), 0);
}

TEST_F(PurseTest, WhatIsGivenBackCanBeSpentAgain) {
  Lease();
  EXPECT_EQ(SpendAll(), 8);
  purse_.GiveBack(ItemOf(3), now_, now_, decision_);
  EXPECT_EQ(decision_.remaining, 503);
  EXPECT_EQ(SpendAll(), 3);
}

TEST_F(PurseTest, UnitsOfOtherTermsGoBackUnderTheirs) {
  Lease();
  const auto before = terms_;
  terms_ = TermsOf({.rate = Rate{2000, minutes{1}}});
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(), 8);
  EXPECT_EQ(items_[0].terms, before);
  Lease();
  EXPECT_EQ(SpendAll(), 8);
}

TEST_F(PurseTest, NewTermsThatCannotBeLeasedAreUnknown) {
  Lease();
  const auto before = terms_;
  for (const LimitSpec& spec : {LimitSpec{.rate = Rate{1000, minutes{1}}, .max_wait = seconds{1}},
                                LimitSpec{.algorithm = Algorithm::kFixedWindow,
                                .rate = Rate{1000, minutes{1}},
                                .count_refused = true},
                                LimitSpec{.rate = Rate{1000, milliseconds{100}}}}) {
    terms_ = TermsOf(spec);
    for (int i = 0; i < 10; ++i) CheckThere(800);
    EXPECT_TRUE(asked_.empty());
  }
  EXPECT_EQ(Back(), 8);
  EXPECT_EQ(items_[0].terms, before);
  for (int i = 0; i < 10; ++i) CheckThere(800);  // also with nothing out
  EXPECT_TRUE(asked_.empty());
}

TEST_F(PurseTest, LimitsThatAreNotPlainAreUnknown) {
  terms_ = TermsOf({.rate = Rate{1000, minutes{1}}, .max_wait = seconds{1}});
  for (int i = 0; i < 10; ++i) CheckThere(800);
  EXPECT_TRUE(asked_.empty());
}

TEST_F(PurseTest, UnitsAreSummedUpWhenKeysAreSwept) {
  Lease();
  EXPECT_EQ(purse_.UnitsApprox(), 0);
  for (int round = 0; round < 2; ++round) {
    purse_.Sweep(now_);
    EXPECT_GT(purse_.UnitsApprox(), 0);
    EXPECT_EQ(purse_.UnitsApprox(), purse_.UnitsForTest());
  }
}

TEST_F(PurseTest, KeysThatNobodyAsksForAreForgotten) {
  Demand(800);
  Grant();
  now_ += seconds{6};
  for (int i = 0; i < 100; ++i) purse_.Sweep(now_);
  EXPECT_EQ(Back(), 8);  // not before it has nothing
  for (int i = 0; i < 100; ++i) purse_.Sweep(now_);
  purse_.GiveBack(ItemOf(1), now_, now_, decision_);
  EXPECT_EQ(Back(), 0);
}

// Invariant (7).
TEST_F(PurseTest, AFloodOfKeysThatComeOnceDoesNotKeepOutAHotKey) {
  Purse purse(640);
  const auto check = [&](const FleetKey& key) {
    RemoteItem item = ItemOf(1);
    item.key = key;
    const Purse::Taken taken = purse.Take(item, now_, decision_);
    EXPECT_EQ(taken.answer, Nearby::Answer::kUnknown);
    return purse.Hear({item, Told(800), now_, now_ + ahead_}, now_);
  };
  const auto flood = [&](std::uint64_t first) {
    for (std::uint64_t i = first; i < first + 5000; ++i) {
      EXPECT_EQ(check({.high = i * 0x9E3779B97F4A7C15U, .low = i}).units, 0);
    }
  };
  flood(0);
  const FleetKey hot{.high = 3, .low = 4};
  Cost lease{0};
  for (int i = 0; i < 10; ++i) {
    lease = check(hot);
    if (lease.units > 0) break;
  }
  EXPECT_GT(lease.units, 0);
}

// Invariant (7).
TEST_F(PurseTest, TakesNoMoreBytesThanItMay) {
  constexpr std::int64_t kBytesMax = 200'000;
  Purse purse(100'000, kBytesMax);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    RemoteItem item = ItemOf(1);
    item.key = {.high = i << 52U, .low = i};
    for (int times = 0; times < 3; ++times) {
      static_cast<void>(purse.Take(item, now_, decision_));
    }
  }
  EXPECT_GT(purse.BytesApprox(), kBytesMax / 2);
  EXPECT_LE(purse.BytesApprox(), kBytesMax);
}

}  // namespace
}  // namespace sluice
