#include "remote/cache/lease_table.h"

#include <gtest/gtest.h>

#include <chrono>

#include "unit/remote/cache/lease_table_fixture.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::TermsOf;
using Answer = NodeCache::Answer;

class LeaseTableTest : public testing::LeaseTableFixture {};

TEST_F(LeaseTableTest, RequestsALeaseAfterAFewChecks) {
  CheckThere(800);
  CheckThere(800);
  CheckThere(800);
  EXPECT_TRUE(asked_.empty());
  CheckThere(800);
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].cost.units, 8);
  EXPECT_EQ(asked_[0].route, 9U);
}

TEST_F(LeaseTableTest, RequestsNoLeaseForRareChecks) {
  for (int i = 0; i < 20; ++i) {
    CheckThere(800);
    now_ += milliseconds{501};
  }
  EXPECT_TRUE(asked_.empty());
}

// Invariant (1).
TEST_F(LeaseTableTest, SpendsGrantedUnitsOnce) {
  Lease();
  EXPECT_EQ(SpendAll(), 8);
  EXPECT_EQ(Back(LeaseTable::Which::kAll), 0);
}

TEST_F(LeaseTableTest, ReportsLocalPlusRemoteUnitsAsRemaining) {
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

TEST_F(LeaseTableTest, ReportsWhenTheRemoteRegainsUnits) {
  EXPECT_EQ(leases_.UntilMore(ItemOf(1), now_), Nanos{0});
  Lease();  // leaves 500 in the remote; one more comes back every 60 ms
  now_ += milliseconds{20};
  ASSERT_EQ(Take(3), Answer::kDecided);
  EXPECT_EQ(leases_.UntilMore(ItemOf(3), now_), milliseconds{40});
  now_ += milliseconds{100};
  EXPECT_EQ(leases_.UntilMore(ItemOf(3), now_), Nanos{1});
}

TEST_F(LeaseTableTest, ReportsWhenTheRemoteRegainsUnitsOfASlidingWindow) {
  terms_ = TermsOf({.algorithm = Algorithm::kSlidingWindow, .rate = Rate{1000, minutes{1}}});
  more_after_ = milliseconds{70};
  Lease();
  now_ += milliseconds{20};
  ASSERT_EQ(Take(3), Answer::kDecided);
  EXPECT_EQ(leases_.UntilMore(ItemOf(3), now_), milliseconds{50});
}

// Invariant (2).
TEST_F(LeaseTableTest, RequestsOneLeaseAtATime) {
  Demand(800);
  for (int i = 0; i < 20; ++i) {
    static_cast<void>(Take());
    EXPECT_EQ(OnReply(ItemOf(1), Told(800)).units, 0);
  }
  EXPECT_EQ(asked_.size(), 1U);
  Grant();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(Take(), Answer::kDecided);
  EXPECT_TRUE(asked_.empty());
  EXPECT_EQ(Take(), Answer::kDecided);  // less than a quarter is left
  EXPECT_EQ(asked_.size(), 1U);
  EXPECT_EQ(Take(), Answer::kDecided);
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(asked_.size(), 1U);
}

// Invariant (3).
TEST_F(LeaseTableTest, RequestsAFairShareOfWhatIsLeft) {
  leases_.SetLiveNodes(10);
  Demand(119);
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].cost.units, 5);
  EXPECT_EQ(asked_[0].min_remaining.units, 95);
}

// Invariant (3).
TEST_F(LeaseTableTest, RequestsNothingNearTheLimit) {
  leases_.SetLiveNodes(10);
  Demand(79);
  EXPECT_TRUE(asked_.empty());
}

TEST_F(LeaseTableTest, DoublesALeaseThatWasSpent) {
  Lease();
  for (int i = 0; i < 7; ++i) ASSERT_EQ(Take(), Answer::kDecided);
  Grant();
  EXPECT_EQ(Take(), Answer::kDecided);  // the last unit of the first lease
  EXPECT_EQ(SpendAll(), 16);
  Grant();
  EXPECT_EQ(SpendAll(), 32);
}

TEST_F(LeaseTableTest, ShrinksALeaseThatEndsUnspent) {
  Lease();
  for (int round = 0; round < 3; ++round) {
    SpendAll();
    CheckThere(800);
    if (!asked_.empty()) Grant();
  }
  const std::int64_t granted = leases_.UnitsForTest();
  ASSERT_GT(granted, 20);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(Take(), Answer::kDecided);
  now_ += seconds{1};
  EXPECT_EQ(Back(), granted - 10);
  CheckThere(800);
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].cost.units, 10);
}

// Invariant (4).
TEST_F(LeaseTableTest, EndsALeaseItsLifeAfterTheRequest) {
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
TEST_F(LeaseTableTest, EndsALeaseWithItsWindow) {
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

// Invariant (5): the units must be back before the part ends.
TEST_F(LeaseTableTest, RequestsNothingShortlyBeforeTheEndOfAPart) {
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
TEST_F(LeaseTableTest, EndsALeaseBeforeItsPart) {
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

// Invariant (1): units put back during the request are not lost.
TEST_F(LeaseTableTest, KeepsUnitsOfAnEndedLeaseWhenANewOneIsGranted) {
  Lease();
  for (int i = 0; i < 7; ++i) ASSERT_EQ(Take(), Answer::kDecided);
  ASSERT_EQ(asked_.size(), 1U);
  const Time since = now_;
  now_ += seconds{1};  // the first lease ends
  leases_.GiveBack(ItemOf(3), since, now_, decision_);
  Grant();
  EXPECT_EQ(leases_.UnitsForTest(), 1 + 3 + 16);
  EXPECT_EQ(SpendAll(), 16);
  EXPECT_EQ(Back(), 1 + 3);
}

// Invariant (1): the second lease had been spent when the third was requested.
TEST_F(LeaseTableTest, KeepsUnitsPutBackBeforeTheNextGrant) {
  Lease();
  for (int i = 0; i < 7; ++i) ASSERT_EQ(Take(), Answer::kDecided);
  now_ += milliseconds{900};
  Grant();
  now_ += milliseconds{100};  // the first lease ends
  for (int i = 0; i < 16; ++i) ASSERT_EQ(Take(), Answer::kDecided);
  ASSERT_EQ(asked_.size(), 1U);
  leases_.GiveBack(ItemOf(3), now_, now_, decision_);
  Grant();
  EXPECT_EQ(leases_.UnitsForTest(), 1 + 3 + 32);
  EXPECT_EQ(SpendAll(), 3 + 32);
  EXPECT_EQ(Back(), 1);
}

// Invariant (6).
TEST_F(LeaseTableTest, DropsTheUnitsOfAForgottenKey) {
  Lease();
  leases_.Forget(ItemOf(1).key, now_);
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(LeaseTable::Which::kAll), 0);
}

// Invariant (6): the lease may have been charged before the reset.
TEST_F(LeaseTableTest, DropsALeaseInFlightWhenItsKeyIsForgotten) {
  Demand(800);
  leases_.Forget(ItemOf(1).key, now_);
  Grant();
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(LeaseTable::Which::kAll), 0);
}

TEST_F(LeaseTableTest, SpendsUnitsThatWerePutBack) {
  Lease();
  EXPECT_EQ(SpendAll(), 8);
  leases_.GiveBack(ItemOf(3), now_, now_, decision_);
  EXPECT_EQ(decision_.remaining, 503);
  EXPECT_EQ(SpendAll(), 3);
}

TEST_F(LeaseTableTest, ReturnsUnitsOfOldTermsUnderThoseTerms) {
  Lease();
  const auto before = terms_;
  terms_ = TermsOf({.rate = Rate{2000, minutes{1}}});
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(), 8);
  EXPECT_EQ(items_[0].terms, before);
  Lease();
  EXPECT_EQ(SpendAll(), 8);
}

TEST_F(LeaseTableTest, IgnoresNewTermsThatCannotBeLeased) {
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
  for (int i = 0; i < 10; ++i) CheckThere(800);  // also without units on lease
  EXPECT_TRUE(asked_.empty());
}

TEST_F(LeaseTableTest, IgnoresLimitsThatAreNotPlain) {
  terms_ = TermsOf({.rate = Rate{1000, minutes{1}}, .max_wait = seconds{1}});
  for (int i = 0; i < 10; ++i) CheckThere(800);
  EXPECT_TRUE(asked_.empty());
}

TEST_F(LeaseTableTest, SumsUpUnitsDuringASweep) {
  Lease();
  EXPECT_EQ(leases_.UnitsApprox(), 0);
  for (int round = 0; round < 2; ++round) {
    leases_.Sweep(now_);
    EXPECT_GT(leases_.UnitsApprox(), 0);
    EXPECT_EQ(leases_.UnitsApprox(), leases_.UnitsForTest());
  }
}

TEST_F(LeaseTableTest, ForgetsIdleKeysWithoutUnits) {
  Demand(800);
  Grant();
  now_ += seconds{6};
  for (int i = 0; i < 100; ++i) leases_.Sweep(now_);
  EXPECT_EQ(Back(), 8);  // kept until its units are returned
  for (int i = 0; i < 100; ++i) leases_.Sweep(now_);
  leases_.GiveBack(ItemOf(1), now_, now_, decision_);
  EXPECT_EQ(Back(), 0);
}

// Invariant (7).
TEST_F(LeaseTableTest, LeasesAHotKeyDuringAFloodOfOtherKeys) {
  LeaseTable purse(640);
  const auto check = [&](const FleetKey& key) {
    RemoteItem item = ItemOf(1);
    item.key = key;
    const LeaseTable::Taken taken = purse.Take(item, now_, decision_);
    EXPECT_EQ(taken.answer, NodeCache::Answer::kUnknown);
    return purse.OnReply({item, Told(800), now_, now_ + ahead_}, now_);
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
TEST_F(LeaseTableTest, BoundsItsMemory) {
  constexpr std::int64_t kBytesMax = 200'000;
  LeaseTable purse(100'000, kBytesMax);
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
