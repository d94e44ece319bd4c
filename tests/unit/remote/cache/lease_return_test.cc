// LeaseTable, invariants (5) and (6): which units are returned to the remote, when, and how often.
#include <gtest/gtest.h>

#include <array>
#include <chrono>

#include "remote/cache/lease_table.h"
#include "unit/remote/cache/lease_table_fixture.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::TermsOf;
using Answer = NodeCache::Answer;

class LeaseReturnTest : public testing::LeaseTableFixture {};

// Invariant (5).
TEST_F(LeaseReturnTest, ReturnsAnIdleLeaseEarly) {
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

// Invariant (5): by then the bucket is full without them.
TEST_F(LeaseReturnTest, BoundsReturnsByTheRefillOfABucket) {
  Lease();
  const Time decided_at = now_ + ahead_;
  now_ += milliseconds{300};
  EXPECT_EQ(Back(), 8);
  EXPECT_EQ(items_[0].bound->until, decided_at + seconds{30});
}

// Invariant (5).
TEST_F(LeaseReturnTest, KeepsTheBoundOfEachLease) {
  Lease();
  for (int i = 0; i < 7; ++i) ASSERT_EQ(Take(), Answer::kDecided);
  now_ += milliseconds{10};
  Grant();
  EXPECT_EQ(Back(LeaseTable::Which::kAll), 1 + 16);
  ASSERT_EQ(items_.size(), 2U);
  EXPECT_EQ(items_[1].bound->until - items_[0].bound->until, milliseconds{10});
}

// Invariant (5).
TEST_F(LeaseReturnTest, ReturnsAllUnitsOnRequest) {
  Lease();
  EXPECT_EQ(Back(LeaseTable::Which::kAll), 8);
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(LeaseTable::Which::kAll), 0);
}

// Invariant (5), for keys in the same shard and in different ones.
TEST_F(LeaseReturnTest, TakesEachLeaseOnceInAWalkWithBounds) {
  for (const WalkBounds& max :
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
      LeaseTable::ReturnBounds bounds{.walk = max};
      is_end = leases_.TakeReturns(LeaseTable::Which::kAll, bounds, now_, items_);
      EXPECT_LE(items_.size(), 3U);
      walked += items_.size();
    }
    EXPECT_EQ(walked, 20U);
    EXPECT_EQ(leases_.UnitsForTest(), 0);
  }
}

// Invariant (5).
TEST_F(LeaseReturnTest, ReturnsLeasesGrantedAfterClose) {
  Demand(800);
  leases_.Close();
  Grant();
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(), 8);
  Demand(800);
  EXPECT_TRUE(asked_.empty());
}

// Invariant (6).
TEST_F(LeaseReturnTest, LosesUnitsWhoseReplyIsLost) {
  Demand(800);
  leases_.NotGranted(asked_[0], now_);
  asked_.clear();
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(LeaseTable::Which::kAll), 0);
  CheckThere(800);
  EXPECT_TRUE(asked_.empty());  // not immediately
  now_ += milliseconds{100};
  CheckThere(800);
  EXPECT_EQ(asked_.size(), 1U);
}

// Invariant (6).
TEST_F(LeaseReturnTest, RepeatsAReturnThatWasNotApplied) {
  Lease();
  now_ += milliseconds{300};
  ASSERT_EQ(Back(), 8);
  const RemoteItem item = items_[0];
  leases_.NotReturned(item, now_, now_);
  EXPECT_EQ(leases_.UnitsForTest(), 8);
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(), 0);  // not immediately
  now_ += milliseconds{100};
  ASSERT_EQ(Back(), 8);
  EXPECT_EQ(items_[0].bound, item.bound);
  EXPECT_EQ(items_[0].terms, item.terms);
  EXPECT_EQ(Back(), 0);
}

// Invariant (5).
TEST_F(LeaseReturnTest, DropsAReturnPastItsBound) {
  Lease();
  const Time granted_at = now_;
  now_ += milliseconds{300};
  ASSERT_EQ(Back(), 8);
  const Time taken_at = now_;
  now_ = granted_at + seconds{30};
  leases_.NotReturned(items_[0], taken_at, now_);
  EXPECT_EQ(leases_.UnitsForTest(), 0);
}

// Invariant (6): the reset wiped what was charged for it, so it would refund units of others.
TEST_F(LeaseReturnTest, DropsAReturnFromBeforeAReset) {
  Lease();
  now_ += milliseconds{300};
  ASSERT_EQ(Back(), 8);
  const Time taken_at = now_;
  now_ += milliseconds{1};
  leases_.Forget(key_, now_);
  now_ += milliseconds{1};
  leases_.NotReturned(items_[0], taken_at, now_);
  EXPECT_EQ(leases_.UnitsForTest(), 0);
  // A return from after the reset is repeated.
  Lease();
  now_ += milliseconds{300};
  ASSERT_EQ(Back(), 8);
  leases_.NotReturned(items_[0], now_, now_);
  EXPECT_EQ(leases_.UnitsForTest(), 8);
}

// Invariant (5).
TEST_F(LeaseReturnTest, ReturnsUnitsPutBackAfterTheLease) {
  Lease();
  ASSERT_EQ(Take(3), Answer::kDecided);
  now_ += seconds{2};
  EXPECT_EQ(Back(), 5);
  leases_.GiveBack(ItemOf(3), now_, now_, decision_);
  EXPECT_EQ(Take(), Answer::kUnknown);
  EXPECT_EQ(Back(), 3);
}

// Invariant (4): they were charged in the previous window.
TEST_F(LeaseReturnTest, KeepsUnitsOfOneWindowOutOfTheNext) {
  terms_ = TermsOf({.algorithm = Algorithm::kFixedWindow, .rate = Rate{1000, minutes{1}}});
  Lease();  // ends with the window, in 30 s
  ASSERT_EQ(Take(3), Answer::kDecided);
  const Time since = now_;
  now_ += seconds{40};
  Back();
  Demand(800);
  Grant();
  ASSERT_EQ(Take(), Answer::kDecided);
  const std::int64_t before = leases_.UnitsForTest();
  now_ += milliseconds{1};
  leases_.GiveBack(ItemOf(3), since, now_, decision_);
  EXPECT_EQ(leases_.UnitsForTest(), before);
  // That holds however long the request took. Units of this window are put back.
  now_ += milliseconds{200};
  leases_.GiveBack(ItemOf(3), since, now_, decision_);
  EXPECT_EQ(leases_.UnitsForTest(), before);
  leases_.GiveBack(ItemOf(1), now_ - milliseconds{201}, now_, decision_);
  EXPECT_EQ(leases_.UnitsForTest(), before + 1);
}

// Invariant (6).
TEST_F(LeaseReturnTest, DropsUnitsPutBackFromBeforeAReset) {
  Lease();
  ASSERT_EQ(Take(3), Answer::kDecided);
  const Time since = now_;
  now_ += milliseconds{1};
  leases_.Forget(ItemOf(1).key, now_);
  leases_.GiveBack(ItemOf(3), since, now_, decision_);
  EXPECT_EQ(Back(LeaseTable::Which::kAll), 0);
}

// Units with different bounds are combined into one return. It must use the earliest bound,
// whichever comes first.
TEST_F(LeaseReturnTest, RepeatsCombinedReturnsWithTheEarliestBound) {
  Lease();
  const Time there = now_ + ahead_;
  for (const auto& [first, second, third] :
       {std::array<int, 3>{5, 9, 7}, std::array<int, 3>{9, 7, 5}, std::array<int, 3>{7, 5, 9}}) {
    ASSERT_GE(Back(LeaseTable::Which::kAll), 0);
    for (const int after : {first, second, third}) {
      RemoteItem item = ItemOf(after);
      item.bound = ReturnBound{there + seconds{after}};
      leases_.NotReturned(item, now_ + Nanos{1}, now_);
    }
    now_ += milliseconds{150};
    EXPECT_EQ(Back(LeaseTable::Which::kAll), 5 + 9 + 7);
    ASSERT_EQ(items_.size(), 1U);
    EXPECT_EQ(items_[0].bound->until, there + seconds{5});
  }
}

}  // namespace
}  // namespace sluice
