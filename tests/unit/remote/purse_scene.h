// PurseScene: one purse, and a remote that has as much as the test says.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/window_end.h"
#include "remote/purse.h"
#include "unit/remote/nearby_world.h"

namespace sluice::testing {

class PurseScene : public ::testing::Test {
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
  Nearby::Answer Take(std::int64_t cost = 1) {
    const Purse::Taken taken = purse_.Take(ItemOf(cost), now_, decision_);
    if (taken.lease.units > 0) asked_.push_back(purse_.AskFor(ItemOf(cost), taken.lease));
    return taken.answer;
  }
  Cost Hear(const RemoteItem& item, const Decision& told) {
    return purse_.Hear({item, told, now_, now_ + ahead_}, now_);
  }
  // A check that the purse does not know, decided in the remote.
  void CheckThere(std::int64_t remaining, std::int64_t cost = 1) {
    ASSERT_EQ(Take(cost), Nearby::Answer::kUnknown);
    const Cost lease = Hear(ItemOf(cost), Told(remaining));
    if (lease.units > 0) asked_.push_back(purse_.AskFor(ItemOf(cost), lease));
  }
  // Asks often enough that a lease is worth it.
  void Demand(std::int64_t remaining) {
    for (int i = 0; i < 4; ++i) CheckThere(remaining);
  }
  void GrantAs(const RemoteItem& item, const Decision& told, Time sent_at, Time decided_at) {
    const ReturnBound bound{ReturnableUntil(item.terms->limit(), told, decided_at)};
    purse_.Grant({item, told, sent_at, decided_at, more_after_, bound}, now_);
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
  // Units that go back now.
  std::int64_t Back(Purse::Which which = Purse::Which::kEnded) {
    items_.clear();
    Purse::ReturnBounds most{.walk = kAll, .retired_keys = retired_keys_};
    EXPECT_TRUE(purse_.TakeReturns(which, most, now_, items_));
    retired_keys_ = most.retired_keys;
    std::int64_t units = 0;
    for (const RemoteItem& item : items_) units += item.cost.units;
    return units;
  }
  int SpendAll() {
    int spent = 0;
    while (Take() == Nearby::Answer::kDecided) ++spent;
    return spent;
  }

  static constexpr WalkBounds kAll{.keys = 1000, .items = 1000};
  std::shared_ptr<const RemoteTerms> terms_ =
      TermsOf({.rate = Rate{1000, std::chrono::minutes{1}}});
  FleetKey key_{.high = 1, .low = 2};
  Purse purse_{1000};
  Time now_{std::chrono::hours{1000}};
  Nanos ahead_ = std::chrono::hours{3};  // the remote's clock
  Nanos more_after_{0};                  // of what it grants
  Decision decision_;
  std::size_t retired_keys_ = 1000;  // that may be returned
  std::vector<RemoteItem> asked_;
  std::vector<RemoteItem> items_;
};

}  // namespace sluice::testing
