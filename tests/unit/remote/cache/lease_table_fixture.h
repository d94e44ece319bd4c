// PurseFixture: a lease table, and a remote that has as many units as the test says.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/algorithm/window_end.h"
#include "remote/cache/lease_table.h"
#include "unit/remote/cache/redis_cache_environment.h"

namespace sluice::testing {

class LeaseTableFixture : public ::testing::Test {
 protected:
  RemoteItem ItemOf(std::int64_t cost) const {
    RemoteItem item;
    item.terms = terms_;
    item.key = key_;
    item.route = 9;
    item.cost = {cost};
    return item;
  }
  Decision Told(std::int64_t remaining) const {
    Decision decision;
    decision.limit = 1000;
    decision.remaining = remaining;
    decision.reset_after = std::chrono::seconds{30};
    return decision;
  }
  NodeCache::Answer Take(std::int64_t cost = 1) {
    const LeaseTable::Taken taken = leases_.Take(ItemOf(cost), now_, decision_);
    if (taken.lease.units > 0) asked_.push_back(leases_.AskFor(ItemOf(cost), taken.lease));
    return taken.answer;
  }
  Cost OnReply(const RemoteItem& item, const Decision& told) {
    return leases_.OnReply({item, told, now_, now_ + ahead_}, now_);
  }
  // Runs a check that the lease table does not decide and the remote does.
  void CheckThere(std::int64_t remaining, std::int64_t cost = 1) {
    ASSERT_EQ(Take(cost), NodeCache::Answer::kUnknown);
    const Cost lease = OnReply(ItemOf(cost), Told(remaining));
    if (lease.units > 0) asked_.push_back(leases_.AskFor(ItemOf(cost), lease));
  }
  // Runs enough checks to make a lease worthwhile.
  void Demand(std::int64_t remaining) {
    for (int i = 0; i < 4; ++i) CheckThere(remaining);
  }
  void GrantAs(const RemoteItem& item, const Decision& told, Time sent_at, Time decided_at) {
    const ReturnBound bound{ReturnableUntil(item.terms->limit(), told, decided_at)};
    leases_.Grant({item, told, sent_at, decided_at, more_after_, bound}, now_);
  }
  void Grant(std::int64_t remaining = 500) {
    ASSERT_EQ(asked_.size(), 1U);
    const RemoteItem item = asked_.front();
    asked_.clear();
    GrantAs(item, Told(remaining), now_, now_ + ahead_);
  }
  void Lease() {
    Demand(800);
    Grant();
  }
  // Returns the number of units that are returned now.
  std::int64_t Back(LeaseTable::Which which = LeaseTable::Which::kEnded) {
    items_.clear();
    LeaseTable::ReturnBounds max{.walk = kAll, .retired_keys = retired_keys_};
    EXPECT_TRUE(leases_.TakeReturns(which, max, now_, items_));
    retired_keys_ = max.retired_keys;
    std::int64_t units = 0;
    for (const RemoteItem& item : items_) units += item.cost.units;
    return units;
  }
  int SpendAll() {
    int spent = 0;
    while (Take() == NodeCache::Answer::kDecided) ++spent;
    return spent;
  }

  static constexpr WalkBounds kAll{.keys = 1000, .items = 1000};
  std::shared_ptr<const RemoteTerms> terms_ =
      TermsOf({.rate = Rate{1000, std::chrono::minutes{1}}});
  FleetKey key_{.high = 1, .low = 2};
  LeaseTable leases_{1000};
  Time now_{std::chrono::hours{1000}};
  Nanos ahead_ = std::chrono::hours{3};  // the remote's clock minus ours
  Nanos more_after_{0};                  // passed to Grant
  Decision decision_;
  std::size_t retired_keys_ = 1000;  // keys that may be returned
  std::vector<RemoteItem> asked_;
  std::vector<RemoteItem> items_;
};

}  // namespace sluice::testing
