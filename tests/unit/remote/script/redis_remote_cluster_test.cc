// RedisRemote on a real cluster.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "redis/redis_cluster.h"
#include "redis/redis_slot.h"
#include "remote/script/redis_key_name.h"
#include "remote/script/redis_remote.h"
#include "support/redis_groups.h"
#include "support/redis_time.h"
#include "unit/redis/loop_until.h"
#include "unit/redis/patient_node.h"
#include "unit/remote/script/redis_remote_on_servers.h"
#include "unit/remote/script/remote_items.h"

namespace sluice {
namespace {

using Outcome = RemoteOutcome;

class RedisRemoteClusterTest : public testing::RedisRemoteOnServers {
 protected:
  void SetUp() override {
    ASSERT_TRUE(group_.is_formed());
    RedisClusterSettings settings;
    settings.node = PatientNode();
    settings.seeds = {{"127.0.0.1", group_.server(0).port()}};
    client_.emplace(Parts(), settings);
    Use(*client_, RedisSlots::kSpread);
    ASSERT_TRUE(LoopUntil(loop_, [this] { return counts_.refreshes.ReadApprox() > 0; }));
    for (std::size_t server = 0; server < 3; ++server) routes_.push_back(RouteTo(server));
  }
  void TearDown() override {
    for (const auto& each : group_.servers()) {
      if (!each->is_running()) continue;
      EXPECT_EQ(Faults(*each), "");
    }
  }

  // Returns a route whose slot a server has; the first server has the lowest slots.
  static std::string RouteTo(std::size_t server) {
    for (int i = 0;; ++i) {
      const std::string name = Concat("r", i);
      std::string key;
      AppendRedisKeyName("sluice:", {}, RouteOf(kTestSecret, name), key);
      if (static_cast<std::size_t>(SlotOf(key)) * 3 / kRedisSlots == server) return name;
    }
  }

  // Counts admissions and answers of concurrent calls.
  struct Counting final : RemoteListener {
    void OnOverdue(RemoteCall& /*call*/) override {}
    void OnAnswer(RemoteCall& call, Outcome outcome) override {
      EXPECT_EQ(outcome, Outcome::kDecided);
      const bool passes = call.decisions[0].allowed && call.decisions[1].allowed;
      admitted += passes ? 1 : 0;
      ++answers;
    }
    int admitted = 0;
    int answers = 0;
  };

  testing::RedisTime time_;  // the real time until it is set
  testing::RedisClusterGroup group_{&time_};
  Counting counting_;
  std::vector<std::unique_ptr<RemoteCall>> calls_;
  std::optional<RedisCluster> client_;
  std::vector<std::string> routes_;
};

// Invariant (4).
TEST_F(RedisRemoteClusterTest, LeavesNothingChargedWhenOneSlotRefuses) {
  for (const Algorithm algorithm :
       {Algorithm::kTokenBucket, Algorithm::kLeakyBucket, Algorithm::kFixedWindow,
        Algorithm::kSlidingLog, Algorithm::kSlidingWindow, Algorithm::kSlidingBuckets}) {
    const auto terms = MustBind(PerHour(1000, algorithm));
    std::vector<RemoteItem> items;
    for (std::size_t i = 0; i < 3; ++i) {
      items.push_back(ItemOf(terms, Concat("k", i, static_cast<int>(algorithm)), routes_[i]));
    }
    auto got = Do(Operation::kCheck, items);
    const std::int64_t left = got[0].remaining;
    for (const Decision& each : got) EXPECT_EQ(each.remaining, left);
    for (std::size_t refusing = 0; refusing < 3; ++refusing) {
      for (RemoteItem& item : items) item.cost = Cost{100};
      items[refusing].cost = Cost{2000};
      seen_.seen.clear();
      got = Do(Operation::kCheck, items);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(got[i].allowed, i != refusing);
        // A leaky bucket may have drained a unit meanwhile.
        EXPECT_NEAR(static_cast<double>(got[i].remaining), static_cast<double>(left), 1.0);
        EXPECT_NEAR(static_cast<double>(Remaining(items[i])), static_cast<double>(left), 1.0);
      }
      ASSERT_EQ(seen_.seen.size(), 3U);
      for (const auto& seen : seen_.seen) {
        EXPECT_EQ(seen.look.remaining, seen.decision.remaining);
      }
    }
    EXPECT_EQ(got[2].retry_after, kNever);
  }
  EXPECT_EQ(remote_->counts().given_back.ReadApprox(), 6U * 3U);
  EXPECT_EQ(remote_->counts().not_given_back.ReadApprox(), 0U);
}

TEST_F(RedisRemoteClusterTest, AppliesEnforcementToTheWholeRequest) {
  const auto terms = MustBind(PerHour(5));
  RemoteItem a = ItemOf(terms, "a", routes_[0]);
  RemoteItem b = ItemOf(terms, "b", routes_[1], Cost{9});
  RemoteItem c = ItemOf(terms, "c", routes_[2]);
  // One of two quotas passes.
  for (RemoteItem* each : {&a, &b}) each->enforcement = Enforcement::kQuota;
  EXPECT_FALSE(Do(Operation::kCheck, {a, b, c})[1].allowed);
  EXPECT_EQ(Remaining(a), 4);
  EXPECT_EQ(Remaining(b), 5);
  EXPECT_EQ(Remaining(c), 4);
  // Neither passes.
  a.cost = Cost{9};
  Do(Operation::kCheck, {a, b, c});
  EXPECT_EQ(Remaining(c), 4);
  // A shadow charge never refuses. A debt is taken even if the request is refused.
  a.enforcement = Enforcement::kShadow;
  b.enforcement = Enforcement::kDebt;
  b.cost = Cost{1};
  Do(Operation::kCheck, {a, b, c});
  EXPECT_EQ(Remaining(b), 4);
  EXPECT_EQ(Remaining(c), 3);
  c.cost = Cost{9};
  EXPECT_FALSE(Do(Operation::kCheck, {a, b, c})[2].allowed);
  EXPECT_EQ(Remaining(b), 3);
  a.enforcement = Enforcement::kEnforce;
  EXPECT_FALSE(Do(Operation::kCheck, {a, b, c})[0].allowed);
  EXPECT_EQ(Remaining(b), 2);
}

TEST_F(RedisRemoteClusterTest, ChargesAPacerLast) {
  LimitSpec spec = PerHour(3600, Algorithm::kPacer);
  spec.burst = Fraction{1, 1};
  const RemoteItem pacer = ItemOf(MustBind(spec), "pacer", routes_[0], Cost{1});
  RemoteItem other = ItemOf(MustBind(PerHour(2)), "other", routes_[2], Cost{3});
  EXPECT_FALSE(Do(Operation::kCheck, {pacer, other})[1].allowed);
  EXPECT_EQ(Do(Operation::kPeek, pacer).reset_after, Nanos{0});
}

TEST_F(RedisRemoteClusterTest, LeavesNothingChargedWhenANodeIsDown) {
  const auto terms = MustBind(PerHour(5));
  std::vector<RemoteItem> items;
  for (std::size_t i = 0; i < 3; ++i) items.push_back(ItemOf(terms, Concat("k", i), routes_[i]));
  Do(Operation::kCheck, items);
  // The other nodes keep serving their slots.
  for (const auto& each : group_.servers()) {
    ASSERT_EQ(each->Call("CONFIG SET cluster-require-full-coverage no"), "OK");
  }
  group_.server(2).Kill();
  call_.operation = Operation::kCheck;
  call_.items = items;
  call_.deadline = clock_->Now() + std::chrono::minutes{1};
  // The first call may still be in flight when the connection breaks.
  const std::optional<Outcome> first = asker_->Ask(call_);
  ASSERT_TRUE(first == Outcome::kNotApplied || first == Outcome::kIndeterminate);
  EXPECT_EQ(asker_->Ask(call_), Outcome::kNotApplied);
  call_.deadline = kLatestTime;
  EXPECT_EQ(Remaining(items[0]), 4);
  EXPECT_EQ(Remaining(items[1]), 4);
  EXPECT_EQ(remote_->counts().not_given_back.ReadApprox(), 0U);
}

// Invariant (4) with many concurrent requests: admitted ones stay charged, all others are refunded.
TEST_F(RedisRemoteClusterTest, AdmitsNoMoreThanTheLimitUnderConcurrency) {
  // The clock stands still, so the hour does not end during the test.
  group_.Trust();
  time_.Set(Time{std::chrono::seconds{1'700'000'000}});
  constexpr std::int64_t kCount = 50;
  const auto terms = MustBind(PerHour(kCount, Algorithm::kFixedWindow));
  constexpr int kCalls = 200;
  for (int i = 0; i < kCalls; ++i) {
    RemoteCall& call = *calls_.emplace_back(std::make_unique<RemoteCall>());
    // Half of the calls name the keys in the opposite order.
    call.items = {ItemOf(terms, "a", routes_[0]), ItemOf(terms, "b", routes_[1])};
    if (i % 2 == 0) std::swap(call.items[0], call.items[1]);
    ASSERT_TRUE(remote_->Decide(call, counting_));
  }
  ASSERT_TRUE(LoopUntil(loop_, [&] { return counting_.answers == kCalls; }));
  EXPECT_EQ(counting_.admitted, kCount);
  EXPECT_EQ(Remaining(ItemOf(terms, "a", routes_[0])), 0);
  EXPECT_EQ(Remaining(ItemOf(terms, "b", routes_[1])), 0);
}

}  // namespace
}  // namespace sluice
