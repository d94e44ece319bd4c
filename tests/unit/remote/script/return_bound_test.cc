// Returns of leased units never free more than if the units had not been taken.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "core/algorithm/window_end.h"
#include "support/random.h"
#include "unit/remote/script/redis_bench.h"

namespace sluice::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

class ReturnBound : public RedisBench {
 protected:
  // Takes single units until one is refused. Returns their number.
  std::int64_t TakeAll(const RemoteLimit& limit) {
    std::int64_t taken = 0;
    while (Do(Operation::kCheck, {"k", &limit}).allowed) ++taken;
    return taken;
  }
};

// A full bucket gets nothing back while units of it are on lease.
TEST_F(ReturnBound, LateReturnToFullTokenBucketAdmitsNoMoreThanItsBurst) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kTokenBucket;
  spec.rate = Rate{1000, seconds{1}};
  const RemoteLimit limit = Keep(spec);
  RemoteCharge lease{"k", &limit, Cost{100}};
  const Decision taken = Do(Operation::kCheck, lease);
  lease.bound = sluice::ReturnBound{ReturnableUntil(limit.limit(), taken, now_)};
  At(milliseconds{99});
  std::int64_t passed = TakeAll(limit);
  Do(Operation::kRefund, lease);
  passed += TakeAll(limit);
  EXPECT_LE(passed, 1000);
  EXPECT_GE(passed, 999);
}

// Units that are returned at once are all available again.
TEST_F(ReturnBound, EarlyReturnGivesAllUnitsBack) {
  for (const Refill refill : {Refill::kGreedy, Refill::kInterval}) {
    client_->Command({"FLUSHALL"});
    LimitSpec spec;
    spec.algorithm = Algorithm::kTokenBucket;
    spec.rate = Rate{1000, seconds{1}};
    spec.refill = refill;
    const RemoteLimit limit = Keep(spec);
    EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit, Cost{500}}).allowed);
    RemoteCharge lease{"k", &limit, Cost{100}};
    const Decision taken = Do(Operation::kCheck, lease);
    lease.bound = sluice::ReturnBound{ReturnableUntil(limit.limit(), taken, now_)};
    EXPECT_EQ(Do(Operation::kRefund, lease).remaining, 500);
  }
}

// A log refunds its newest units, no matter which node took them, so units may leave it too early:
// as many as were on lease when an interval began, and no more.
TEST_F(ReturnBound, ReturnToSlidingLogAdmitsWhatWasOutOnLeaseAndNoMore) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kSlidingLog;
  spec.rate = Rate{10, seconds{10}};
  const RemoteLimit limit = Keep(spec);
  RemoteCharge lease{"k", &limit, Cost{5}};
  const Decision taken = Do(Operation::kCheck, lease);
  lease.bound = sluice::ReturnBound{ReturnableUntil(limit.limit(), taken, now_)};
  At(seconds{1});
  std::int64_t passed = TakeAll(limit);
  EXPECT_EQ(passed, 5);
  Do(Operation::kRefund, lease);
  passed += TakeAll(limit);
  // Less than a period after the first unit.
  At(milliseconds{10'999});
  passed += TakeAll(limit);
  EXPECT_EQ(passed, 10 + 5);
}

// Returns units of random leases, and compares with a key from which these units were never taken.
class ReturnBoundRandom : public ReturnBound {
 protected:
  struct Lease {
    RemoteCharge unspent;
  };

  void Step(Random& random, const RemoteLimit& limit) {
    At(now_ - kStart + microseconds{random.Between(0, 40'000)});
    const std::int64_t what = random.Between(0, 3);
    if (what == 0) {
      const Cost others{random.Between(1, 30)};
      Do(Operation::kDebt, {"k", &limit, others});
      Do(Operation::kDebt, {"twin", &limit, others});
    } else if (what == 1 && !leases_.empty()) {
      const auto at = random.Between(0, static_cast<std::int64_t>(leases_.size()) - 1);
      Do(Operation::kRefund, leases_[static_cast<std::size_t>(at)].unspent);
      leases_.erase(leases_.begin() + at);
      ++returns_;
    } else {
      const std::int64_t units = random.Between(1, 40);
      const std::int64_t spent = random.Between(0, units);
      const Decision taken = Do(Operation::kCheck, {"k", &limit, Cost{units}});
      if (!taken.allowed) return;
      if (spent > 0) Do(Operation::kDebt, {"twin", &limit, Cost{spent}});
      RemoteCharge unspent{"k", &limit, Cost{units - spent}};
      unspent.bound = sluice::ReturnBound{ReturnableUntil(limit.limit(), taken, now_)};
      leases_.push_back({unspent});
    }
  }

  std::vector<Lease> leases_;
  std::int64_t returns_ = 0;
};

TEST_F(ReturnBoundRandom, BucketsHoldNoMoreThanWithoutTheUnspentUnits) {
  ForEachSeed(60, [&](Random& random) {
    client_->Command({"FLUSHALL"});
    leases_.clear();
    returns_ = 0;
    At(Nanos{0});
    LimitSpec spec;
    spec.algorithm = Algorithm::kTokenBucket;
    spec.rate = Rate{random.Between(50, 1000), milliseconds{random.Between(200, 2000)}};
    if (random.OneIn(3)) {
      spec.refill = Refill::kInterval;
      // Otherwise a lease of an unused key would set the phase of refills, which its return does
      // not undo.
      spec.aligned = true;
    }
    if (random.OneIn(2)) spec.burst = random.Between(1, 500);
    const RemoteLimit limit = Keep(spec);
    for (int i = 0; i < 60 && !HasFailure(); ++i) {
      Step(random, limit);
      const Decision got = Do(Operation::kPeek, {"k", &limit, Cost{0}});
      const Decision twin = Do(Operation::kPeek, {"twin", &limit, Cost{0}});
      // Each return is rounded up to a microsecond.
      EXPECT_LE(got.remaining, twin.remaining + 1) << "after step " << i << ": " << ToText(spec);
      EXPECT_GE(got.reset_after + microseconds{returns_}, twin.reset_after) << "after step " << i;
    }
  });
}

}  // namespace
}  // namespace sluice::testing
