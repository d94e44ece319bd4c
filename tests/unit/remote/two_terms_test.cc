// Nodes with different terms for one limit, on a real server.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "remote/redis_remote.h"
#include "support/fake_clock.h"
#include "support/random.h"
#include "support/redis_server.h"
#include "unit/remote/patient_node.h"
#include "unit/remote/redis_remote_on_servers.h"
#include "unit/remote/remote_items.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr Algorithm kAlgorithms[] = {Algorithm::kTokenBucket, Algorithm::kFixedWindow,
                                     Algorithm::kSlidingLog, Algorithm::kSlidingWindow,
                                     Algorithm::kSlidingBuckets};

class TwoTerms : public testing::RedisRemoteOnServers {
 protected:
  void SetUp() override {
    clock_ = std::make_unique<testing::FakeClock>(kStart);
    server_ = testing::RedisServer::Start();
    ASSERT_NE(server_, nullptr);
    server_->SetTime(kStart);
    look_ = std::make_unique<testing::RedisClient>(server_->socket_path());
    client_.emplace(Parts(), UnixEndpoint{server_->socket_path()}, PatientNode());
    Use(*client_, RedisSlots::kTogether);
  }

  std::int64_t TakeAll(const RemoteItem& item) {
    std::int64_t taken = 0;
    while (Do(Operation::kCheck, item).allowed) taken += item.cost.units;
    return taken;
  }
  std::string Stored() {
    const auto keys = look_->Command({"KEYS", "*"});
    return keys.size() < 2 ? "" : look_->Text({"DUMP", std::string(keys[1].text)});
  }

  static constexpr Time kStart{hours{500'000}};

  std::unique_ptr<testing::RedisServer> server_;
  std::unique_ptr<testing::RedisClient> look_;
  std::optional<RedisSingle> client_;
};

// 3,970 of 1,000 passed when each check, peek or refusal of the stricter node cut the state.
TEST_F(TwoTerms, FourRoundsOfLenientAndStrictNodesPassTheLenientLimitOnce) {
  for (const Algorithm algorithm : kAlgorithms) {
    look_->Command({"FLUSHALL"});
    const RemoteItem lenient = ItemOf(MustBind(PerHour(1000, algorithm)), "k", "r", Cost{10});
    const RemoteItem strict = ItemOf(MustBind(PerHour(10, algorithm)), "k", "r", Cost{1});
    std::int64_t passed = 0;
    for (int round = 0; round < 4; ++round) {
      passed += TakeAll(lenient);
      EXPECT_EQ(Remaining(strict), 0);
      passed += TakeAll(strict);
    }
    EXPECT_EQ(passed, 1000) << static_cast<int>(algorithm);
  }
}

TEST_F(TwoTerms, PeeksAndRefusalsUnderOtherTermsWriteNothing) {
  for (const Algorithm algorithm : kAlgorithms) {
    look_->Command({"FLUSHALL"});
    const RemoteItem lenient = ItemOf(MustBind(PerHour(1000, algorithm)), "k", "r", Cost{600});
    const RemoteItem strict = ItemOf(MustBind(PerHour(10, algorithm)), "k", "r", Cost{1});
    Do(Operation::kCheck, lenient);
    const std::string before = Stored();
    look_->Command({"CONFIG", "RESETSTAT"});
    EXPECT_FALSE(Do(Operation::kCheck, strict).allowed);
    EXPECT_EQ(Remaining(strict), 0);
    EXPECT_EQ(Stored(), before) << static_cast<int>(algorithm);
    // One script for each.
    const std::string stats = look_->Text({"INFO", "commandstats"});
    EXPECT_NE(stats.find("cmdstat_evalsha:calls=2,"), std::string::npos) << stats;
    EXPECT_EQ(Remaining(lenient), 400);
  }
}

// Late returns and pushes of a stricter node act on the state as it is stored.
TEST_F(TwoTerms, DebtsAndRefundsUnderStricterTermsKeepTheUsedUnits) {
  for (const Algorithm algorithm : kAlgorithms) {
    look_->Command({"FLUSHALL"});
    const RemoteItem lenient = ItemOf(MustBind(PerHour(1000, algorithm)), "k", "r", Cost{600});
    const RemoteItem strict = ItemOf(MustBind(PerHour(10, algorithm)), "k", "r", Cost{5});
    Do(Operation::kCheck, lenient);
    Do(Operation::kRefund, strict);
    EXPECT_EQ(Remaining(strict), 0);
    EXPECT_EQ(Remaining(lenient), 405) << static_cast<int>(algorithm);
    if (algorithm == Algorithm::kSlidingLog) continue;  // its stricter debts add nothing
    EXPECT_EQ(Do(Operation::kDebt, strict).remaining, 0);
    EXPECT_EQ(Remaining(lenient), 400) << static_cast<int>(algorithm);
  }
}

// Random terms with one PERIOD take turns; what passes is counted against the most lenient.
class TwoTermsRandom : public TwoTerms {
 protected:
  struct Pass {
    Time at{};
    std::int64_t units = 0;
  };

  static LimitSpec RandomTerms(Algorithm algorithm, testing::Random& random) {
    LimitSpec spec;
    spec.algorithm = algorithm;
    spec.rate = Rate{random.Between(1, random.OneIn(2) ? 20 : 300), kPeriod};
    if (algorithm == Algorithm::kTokenBucket && random.OneIn(2))
      spec.burst = random.Between(1, 200);
    if (algorithm == Algorithm::kSlidingBuckets) spec.buckets = 6;
    return spec;
  }

  void Step(testing::Random& random) {
    if (random.OneIn(3)) now_ += std::chrono::milliseconds{random.Between(0, 20'000)};
    server_->SetTime(now_);
    RemoteItem item = items_[static_cast<std::size_t>(
        random.Between(0, static_cast<std::int64_t>(items_.size()) - 1))];
    item.cost = Cost{random.Between(1, random.OneIn(3) ? 100 : 5)};
    const std::int64_t what = random.Between(0, 9);
    if (what == 0) {
      Do(Operation::kPeek, item);
    } else if (what == 1) {
      Do(Operation::kDebt, item);
    } else if (what == 2 && !passes_.empty() && passes_.back().at == now_) {
      item.cost = Cost{passes_.back().units};
      Do(Operation::kRefund, item);
      passes_.pop_back();
    } else if (Do(Operation::kCheck, item).allowed) {
      passes_.push_back({now_, item.cost.units});
    }
  }

  // Units that passed within a period that ends at the last pass: of a fixed window, in its own.
  [[nodiscard]] std::int64_t PassedLately(Algorithm algorithm) const {
    std::int64_t units = 0;
    for (const Pass& pass : passes_) {
      const bool counts = algorithm == Algorithm::kFixedWindow
                              ? pass.at.time_since_epoch() / kPeriod ==
                                    passes_.back().at.time_since_epoch() / kPeriod
                              : passes_.back().at - pass.at < kPeriod;
      if (counts) units += pass.units;
    }
    return units;
  }

  static constexpr Nanos kPeriod = seconds{60};
  Time now_ = kStart;
  std::vector<RemoteItem> items_;
  std::vector<Pass> passes_;
};

TEST_F(TwoTermsRandom, NoMorePassesInAPeriodThanTheMostLenientTermsAllow) {
  testing::ForEachSeed(40, [&](testing::Random& random) {
    const Algorithm algorithm = random.Pick({Algorithm::kTokenBucket, Algorithm::kFixedWindow,
                                             Algorithm::kSlidingLog, Algorithm::kSlidingBuckets});
    look_->Command({"FLUSHALL"});
    items_.clear();
    passes_.clear();
    std::int64_t count = 0;
    std::int64_t burst = 0;
    for (std::int64_t i = random.Between(2, 3); i > 0; --i) {
      const LimitSpec spec = RandomTerms(algorithm, random);
      items_.push_back(ItemOf(MustBind(spec), "k", "r"));
      count = std::max(count, spec.rate->count);
      burst = std::max(burst, Do(Operation::kPeek, items_.back()).limit);
    }
    const std::int64_t most = algorithm == Algorithm::kTokenBucket ? burst + count : count;
    for (int i = 0; i < 120 && !HasFailure(); ++i) {
      Step(random);
      if (!passes_.empty()) {
        EXPECT_LE(PassedLately(algorithm), most)
            << "algorithm " << static_cast<int>(algorithm) << ", step " << i;
      }
    }
  });
}

}  // namespace
}  // namespace sluice
