// EventualFixture: eventual counters, and a Redis that is called only when the test says so.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "remote/cache/eventual_counters.h"
#include "unit/remote/cache/redis_cache_environment.h"

namespace sluice::testing {

class EventualFixture : public ::testing::Test {
 protected:
  RemoteItem ItemOf(std::int64_t cost) const {
    RemoteItem item;
    item.terms = terms_;
    item.key = key_;
    item.cost = {cost};
    return item;
  }
  NodeCache::Answer Take(std::int64_t cost = 1) {
    return view_.Take(ItemOf(cost), now_, decision_);
  }
  int TakeAll() {
    int taken = 0;
    while (Take() == NodeCache::Answer::kDecided && decision_.allowed) ++taken;
    return taken;
  }
  // Decides in Redis, and reports the reply to the counters.
  void Ask(Operation operation, const RemoteItem& item, EventualCounters::Heard heard) {
    RemoteCall call;
    call.operation = operation;
    call.items = {item};
    const std::vector<FakeRedis::Seen> seen = redis_.Decide(call, RedisNow());
    KeyState state = seen[0].state;
    view_.OnReply({call, item, seen[0].decision, state, RedisNow(), now_}, heard, now_);
  }
  // Charges units as another node.
  void Elsewhere(std::int64_t cost) { redis_.StateOf(ItemOf(0)).TakeDebt({cost}, RedisNow()); }
  // Requests an unknown key, and decides it in Redis.
  void Seed() {
    ASSERT_EQ(Take(), NodeCache::Answer::kUnknown);
    Ask(Operation::kCheck, ItemOf(1), EventualCounters::Heard::kOther);
  }
  std::int64_t Begin() {
    sync_ = {};
    EXPECT_TRUE(view_.TakeSync(EventualCounters::Which::kAll, kAll, now_, sync_));
    std::int64_t units = 0;
    for (const RemoteItem& item : sync_.debts) units += item.cost.units;
    for (const RemoteItem& item : sync_.refunds) units -= item.cost.units;
    return units;
  }
  void End(RemoteOutcome outcome) {
    for (const RemoteItem& item : sync_.debts) {
      if (outcome == RemoteOutcome::kDecided)
        Ask(Operation::kDebt, item, EventualCounters::Heard::kOwnSync);
      view_.Synced(item, Operation::kDebt, outcome);
    }
    for (const RemoteItem& item : sync_.refunds) {
      if (outcome == RemoteOutcome::kDecided)
        Ask(Operation::kRefund, item, EventualCounters::Heard::kOwnSync);
      view_.Synced(item, Operation::kRefund, outcome);
    }
  }
  std::int64_t InRedis() { return 100 - redis_.StateOf(ItemOf(0)).Peek({0}, RedisNow()).remaining; }
  Time RedisNow() const { return now_ + ahead_; }

  static constexpr WalkBounds kAll{.keys = 1000, .items = 1000};
  std::shared_ptr<const RemoteTerms> terms_ =
      TermsOf({.algorithm = Algorithm::kFixedWindow, .rate = Rate{100, std::chrono::hours{1}}});
  FleetKey key_{.high = 1, .low = 2};
  FakeRedis redis_;
  EventualCounters view_{{.max_keys = 100, .sync_interval = std::chrono::milliseconds{100}}};
  Time now_{std::chrono::hours{1000}};
  Nanos ahead_ = std::chrono::hours{3} + std::chrono::minutes{5};
  Decision decision_;
  EventualCounters::Sync sync_;
};

}  // namespace sluice::testing
